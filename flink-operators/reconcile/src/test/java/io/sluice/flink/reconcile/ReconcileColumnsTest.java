/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.SqlOutput;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.MessageKind;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** What SQL sees of the outputs of replicas. */
class ReconcileColumnsTest {

    private final SqlOutput output = new SqlOutput();

    @Test
    void reportsOfWindowsAreReadBySql() throws Exception {
        WindowReport report = Reports.with(Outcome.TIMED_OUT);
        output.columns(
                output.env.fromData(Types.POJO(WindowReport.class), report),
                "window BIGINT NOT NULL",
                "group INT NOT NULL",
                "outcome STRING",
                "elementsBefore BIGINT NOT NULL",
                "elementsAfter BIGINT NOT NULL",
                "copiesBefore BIGINT NOT NULL",
                "copiesAfter BIGINT NOT NULL",
                "rounds INT NOT NULL",
                "filtered BIGINT NOT NULL",
                "compared BIGINT NOT NULL",
                "sent BIGINT NOT NULL",
                "repairedFirst BIGINT NOT NULL",
                "repairedSecond BIGINT NOT NULL",
                "repairedLater BIGINT NOT NULL",
                "digestBytes BIGINT NOT NULL",
                "filterBytes BIGINT NOT NULL",
                "repairBytes BIGINT NOT NULL",
                "naiveBytes BIGINT NOT NULL",
                "retries BIGINT NOT NULL",
                "waitedMillis BIGINT NOT NULL",
                "fallback STRING");
        List<Row> rows = output.rows("SELECT * FROM output WHERE outcome = 'TIMED_OUT'");
        assertThat(rows).hasSize(1);
        RecordComponent[] components = WindowReport.class.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            assertThat(rows.get(0).getField(i))
                    .as(components[i].getName())
                    .isEqualTo(components[i].getAccessor().invoke(report));
        }
        output.roundTrip(Types.POJO(WindowReport.class), report);
    }

    @Test
    void messagesToThePeerAreReadBySql() throws Exception {
        ReplicaMessage message =
                ReplicaMessage.of(MessageKind.FILTER, 4, 60_000, "bytes".getBytes(UTF_8));
        output.columns(
                output.env.fromData(Types.POJO(ReplicaMessage.class), message),
                "kind STRING",
                "group INT NOT NULL",
                "window BIGINT NOT NULL",
                "bytes BYTES");
        assertThat(
                        output.rows(
                                "SELECT `group`, DECODE(`bytes`, 'UTF-8') FROM output WHERE kind ="
                                        + " 'FILTER'"))
                .containsExactly(Row.of(4, "bytes"));
        output.roundTrip(Types.POJO(ReplicaMessage.class), message);
    }
}
