/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.OptionException;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.StoreKind;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The error of flows: stated, predicted, and measured by an exact sample. */
class FlowErrorTest {

    private final FlowFixture flows = new FlowFixture(4);

    @AfterEach
    void close() throws Exception {
        flows.close();
    }

    @Test
    void anErrorProbabilityChoosesTheStoreAndANamedOneWins() throws Exception {
        flows.store = null;
        flows.errorProbability = 1e-3;
        flows.expected = 1_000_000;
        flows.start(1);
        flows.process(FlowFixture.syn(7, 1_000));
        flows.stream.snapshot();
        flows.store = StoreKind.EXACT;
        assertThatThrownBy(() -> flows.start(1))
                .hasMessageContainingAll("store=EXACT", "store=FINGERPRINTS");
        flows.store = StoreKind.FINGERPRINTS;
        flows.start(2);
        assertThat(flows.process(FlowFixture.segment(7, false, TcpFlags.RST, 2_000)))
                .extracting(FinishedFlow::state)
                .containsExactly("REJ");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-10, 0.2, Double.NaN})
    void anErrorProbabilityOutOfRangeIsRefusedByName(double error) {
        flows.errorProbability = error;
        assertThatThrownBy(flows::operator)
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("errorProbability");
    }

    private long watchedWrong(long expected, double error) throws Exception {
        flows.store = StoreKind.FINGERPRINTS;
        flows.expected = expected;
        flows.errorProbability = error;
        flows.start(1);
        List<Segment> packets = Traffic.of(new SplittableRandom(3), 40_000, 1_000);
        for (Segment each : packets) {
            flows.process(each);
        }
        long watched = flows.stream.gaugeSum(FlowMetrics.WATCHED_EVENTS);
        double chosen = packets.size() / 256.0;
        // A flow has some six packets, all of them watched or none.
        assertThat((double) watched).isBetween(chosen / 2, chosen * 2);
        return flows.stream.gaugeSum(FlowMetrics.WATCHED_WRONG);
    }

    @Test
    void aSampleFindsNoErrorWhereHardlyAnyIsPredicted() throws Exception {
        assertThat(watchedWrong(40_000, 1e-6)).isZero();
    }

    @Test
    void aSampleFindsTheErrorsOfFarTooFewFingerprints() throws Exception {
        assertThat(watchedWrong(1, 0.1)).isPositive();
    }
}
