/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.SqlOutput;
import io.sluice.flink.reconcile.message.MessageKind;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** What SQL sees of the outputs of replicas. */
class ReconcileColumnsTest {

    private final SqlOutput output = new SqlOutput();

    @Test
    void reportsOfWindowsAreReadBySql() throws Exception {
        WindowReport report =
                new WindowReport(
                        60_000,
                        3,
                        WindowReport.Outcome.TIMED_OUT,
                        4,
                        5,
                        6,
                        7,
                        1,
                        8,
                        9,
                        10,
                        11,
                        12,
                        13,
                        14,
                        15,
                        16,
                        17,
                        18,
                        19);
        output.show(output.env.fromData(ReconcileTypes.WINDOW_REPORT, report));
        assertThat(
                        output.rows(
                                "SELECT `window`, `group`, rounds, elementsAfter, waitedMillis FROM"
                                        + " output WHERE outcome = 'TIMED_OUT'"))
                .containsExactly(Row.of(60_000L, 3, 1, 5L, 19L));
        output.roundTrip(ReconcileTypes.WINDOW_REPORT, report);
    }

    @Test
    void messagesToThePeerAreReadBySql() throws Exception {
        ReplicaMessage message =
                new ReplicaMessage(MessageKind.FILTER, 4, 60_000, "bytes".getBytes(UTF_8));
        output.columns(
                output.env.fromData(ReconcileTypes.REPLICA_MESSAGE, message),
                "kind STRING",
                "group INT NOT NULL",
                "window BIGINT NOT NULL",
                "bytes BYTES NOT NULL");
        assertThat(
                        output.rows(
                                "SELECT `group`, DECODE(`bytes`, 'UTF-8') FROM output WHERE kind ="
                                        + " 'FILTER'"))
                .containsExactly(Row.of(4, "bytes"));
        output.roundTrip(ReconcileTypes.REPLICA_MESSAGE, message);
    }
}
