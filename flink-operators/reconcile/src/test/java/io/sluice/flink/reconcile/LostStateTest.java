/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Setup;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica that starts without its state and reads nothing again. */
class LostStateTest {

    private static final long WINDOW = 1000;

    private final OperatorReplica east = replica("east");
    private final OperatorReplica west = replica("west");

    private static OperatorReplica replica(String name) {
        return new OperatorReplica(
                new ReconcileSettings(
                        new Setup(WINDOW, 1, 2, 7),
                        name,
                        name.equals("east") ? "west" : "east",
                        DifferenceMethod.QUERY,
                        0.01,
                        4,
                        1 << 20,
                        0,
                        10,
                        4096,
                        1 << 20,
                        1000,
                        1000,
                        3_600_000,
                        false),
                Backends.HASHMAP);
    }

    @BeforeEach
    void start() throws Exception {
        east.start(1);
        west.start(1);
    }

    @AfterEach
    void close() throws Exception {
        east.close();
        west.close();
    }

    private void exchange(int checkpoints) throws Exception {
        for (int i = 0; i < checkpoints; i++) {
            east.pass(100);
            west.pass(100);
            west.receive(east.checkpoint());
            east.receive(west.checkpoint());
        }
    }

    @Test
    void whatThePeerHasSettledWasReportedBeforeAndIsNotReportedAgain() throws Exception {
        for (OperatorReplica replica : List.of(east, west)) {
            replica.record("a", 10);
            replica.watermark(WINDOW);
        }
        exchange(6);
        east.startWithoutState(1);
        east.watermark(WINDOW);
        exchange(6);
        for (OperatorReplica replica : List.of(east, west)) {
            assertThat(replica.reports())
                    .extracting(WindowReport::outcome)
                    .containsExactly(Outcome.AGREED.name());
            assertThat(replica.checkpoint()).as("nothing is left to say").isEmpty();
        }
    }

    @Test
    void whatThePeerDoesNotKnowToBeSettledIsReported() throws Exception {
        for (OperatorReplica replica : List.of(east, west)) {
            replica.record("a", 10);
            replica.watermark(WINDOW);
        }
        west.receive(east.checkpoint());
        west.checkpoint();
        assertThat(east.reports()).isEmpty();
        east.pass(100);
        east.startWithoutState(1);
        east.watermark(WINDOW);
        exchange(12);
        assertThat(east.reports())
                .extracting(WindowReport::outcome)
                .containsExactly(Outcome.PEER_GAVE_UP.name());
        assertThat(west.reports())
                .extracting(WindowReport::outcome)
                .containsExactly(Outcome.AGREED.name());
    }
}
