/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowFixture.syn;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.FinishedFlow.Reason;
import io.sluice.flink.machine.store.StoreKind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The end of the input, including a drain. */
class FlowEndOfInputTest {

    private final FlowFixture flows = new FlowFixture(16);

    @AfterEach
    void close() throws Exception {
        flows.close();
    }

    @Test
    void flowsThatAreOpenAtTheEndAreReportedOnceBeforeTheLastWatermark() throws Exception {
        flows.start(1);
        flows.run(Connection.of(7).at(1_000).whole());
        flows.process(syn(8, 2_000));
        flows.run(Connection.of(9).at(2_000).opened());
        var harness = flows.stream.harnesses().get(0);
        harness.getOutput().clear();
        harness.processWatermark(Long.MAX_VALUE);
        assertThat(FlowFixture.behindWatermark(harness.getOutput())).isZero();
        assertThat(harness.extractOutputValues())
                .containsExactlyInAnyOrder(
                        FinishedFlow.of(8, ConnState.S0, Reason.END_OF_INPUT, 60_000, null),
                        FinishedFlow.of(9, ConnState.S1, Reason.END_OF_INPUT, 600_000, null));
        assertThat(flows.stream.endInput()).isEmpty();
        assertThat(flows.stream.counter(FlowMetrics.OPEN_AT_END + ConnState.S0)).isEqualTo(1);
    }

    @Test
    void withoutALastWatermarkTheyAreReportedAllTheSame() throws Exception {
        flows.start(2);
        flows.process(syn(8, 2_000));
        assertThat(flows.stream.endInput())
                .extracting(FinishedFlow::reason)
                .containsExactly(Reason.END_OF_INPUT.name());
    }

    @Test
    void filtersKnowThemByNumberAndState() throws Exception {
        flows.store = StoreKind.KBF;
        flows.start(1);
        flows.process(syn(8, 2_000));
        assertThat(flows.stream.advance(Long.MAX_VALUE)).isEmpty();
        assertThat(flows.stream.counter(FlowMetrics.OPEN_AT_END + ConnState.S0)).isEqualTo(1);
    }

    @Test
    void aDrainLosesNothingAndTheJobGoesOnFromItsSavepoint() throws Exception {
        Connection seven = Connection.of(7).at(1_000);
        flows.start(2);
        flows.run(seven.opened());
        flows.process(syn(8, 1_100));
        assertThat(flows.stream.advance(Long.MAX_VALUE))
                .extracting(FinishedFlow::reason)
                .containsExactly(Reason.END_OF_INPUT.name(), Reason.END_OF_INPUT.name());
        assertThat(flows.stream.endInput()).isEmpty();
        flows.stream.snapshot();
        flows.start(3);
        List<FinishedFlow> finished = flows.run(seven.closed());
        finished.addAll(flows.stream.advance(60_000));
        assertThat(finished)
                .extracting(flow -> flow.flow() + " " + flow.state() + " " + flow.reason())
                .containsExactly("7 SF ENDED", "8 S0 TIMED_OUT");
    }
}
