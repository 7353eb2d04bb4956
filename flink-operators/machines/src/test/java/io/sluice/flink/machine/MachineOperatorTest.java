/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operator reports of machines. */
class MachineOperatorTest {

    private final Orders orders = new Orders();

    @AfterEach
    void close() {
        orders.close();
    }

    @ParameterizedTest
    @EnumSource
    void outputsAndEndsAreReported(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.start(2);
        assertThat(orders.process("a", "order", 1)).isEmpty();
        assertThat(orders.process("a", "pay", 2))
                .containsExactly("OUTPUT a ordered pay paid payment 2");
        assertThat(orders.process("a", "ship", 3))
                .containsExactly("FINISHED a paid ship shipped 3");
        assertThat(orders.process("b", "order", 4)).isEmpty();
        assertThat(orders.process("b", "cancel", 5))
                .containsExactly("FINISHED b ordered cancel cancelled 5");
        assertThat(orders.stream.gaugeSum(MachineMetrics.EVENTS)).isEqualTo(5);
        assertThat(orders.stream.gaugeSum(MachineMetrics.BEGAN)).isEqualTo(2);
        assertThat(orders.stream.gaugeSum(MachineMetrics.FINISHED)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void everyKindThatIsAskedForIsReported(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.emit(Kind.FIRST, Kind.TRANSITION, Kind.ILLEGAL).start(1);
        assertThat(orders.process("a", "order", 1))
                .containsExactly(
                        "FIRST a none order ordered 1", "TRANSITION a none order ordered 1");
        assertThat(orders.process("a", "ship", 2))
                .containsExactly("ILLEGAL a ordered ship ordered 2");
        assertThat(orders.process("a", "pay", 3))
                .containsExactly("TRANSITION a ordered pay paid payment 3");
        assertThat(orders.process("a", "ship", 4))
                .containsExactly("TRANSITION a paid ship shipped 4");
        assertThat(orders.advance(100_000)).isEmpty();
    }

    @Test
    void anIllegalEventChangesNothingNotEvenTheTimeOfLastUse() throws Exception {
        orders.start(1);
        orders.process("a", "order", 0);
        assertThat(orders.process("a", "ship", 9_999)).isEmpty();
        assertThat(orders.process("a", "no such event", 9_999)).isEmpty();
        assertThat(orders.process("b", "pay", 9_999)).isEmpty();
        assertThat(Orders.lines(orders.stream.sideOutput(Orders.ILLEGAL)))
                .containsExactly(
                        "ILLEGAL a ordered ship ordered 9999",
                        "ILLEGAL a ordered no such event ordered 9999",
                        "ILLEGAL b none pay none 9999");
        assertThat(orders.advance(20_000)).containsExactly("TIMED_OUT ordered 20000");
        assertThat(orders.stream.gaugeSum(MachineMetrics.ILLEGAL)).isEqualTo(3);
    }

    @Test
    void aMachineTimesOutByTheTimeOfItsStateAndBeforeTheWatermark() throws Exception {
        orders.start(1);
        orders.process("a", "order", 1_000);
        orders.process("b", "order", 1_000);
        orders.process("b", "pay", 2_000);
        var harness = orders.stream.harnesses().get(0);
        harness.getOutput().clear();
        harness.processWatermark(19_998);
        assertThat(harness.extractOutputValues()).isEmpty();
        harness.processWatermark(19_999);
        harness.processWatermark(60_000);
        List<String> seen = new ArrayList<>();
        for (Object each : harness.getOutput()) {
            seen.add(
                    each instanceof Watermark mark
                            ? "watermark " + mark.getTimestamp()
                            : "record " + ((StreamRecord<?>) each).getTimestamp());
        }
        assertThat(seen)
                .containsExactly(
                        "watermark 19998",
                        "record 20000",
                        "watermark 19999",
                        "record 40000",
                        "watermark 60000");
        assertThat(Orders.lines(harness.extractOutputValues()))
                .containsExactly("TIMED_OUT ordered 20000", "TIMED_OUT paid 40000");
    }

    @ParameterizedTest
    @EnumSource
    void whatHasFinishedIsDeletedOrHeldForItsTime(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.start(1);
        orders.process("a", "order", 1);
        orders.process("a", "cancel", 2);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isZero();
        orders.process("b", "order", 3);
        orders.process("b", "pay", 4);
        orders.process("b", "ship", 5);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isEqualTo(1);
        assertThat(orders.process("b", "ship", 6)).isEmpty();
        assertThat(orders.process("b", "order", 7)).isEmpty();
        assertThat(orders.stream.gaugeSum(MachineMetrics.BEGAN)).isEqualTo(3);
        assertThat(orders.process("b", "cancel", 8))
                .containsExactly("FINISHED b ordered cancel cancelled 8");
        assertThat(orders.advance(100_000)).isEmpty();
        assertThat(orders.stream.gaugeSum(MachineMetrics.TIMED_OUT)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aTransitionToTheInitialStateForgetsTheMachine(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.start(1);
        orders.process("a", "order", 1);
        assertThat(orders.process("a", "forget", 2)).isEmpty();
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isZero();
        assertThat(orders.advance(100_000)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAmbiguousMachineKeepsItsStateAndIsReportedIfThatIsAskedFor(boolean isReported)
            throws Exception {
        orders.options.set(MachineOptions.STORE, StoreKind.KBF);
        orders.options.set(MachineOptions.BITS_PER_MACHINE, 16.0);
        orders.options.set(MachineOptions.EXPECTING, 1L);
        if (isReported) {
            orders.emit(Kind.AMBIGUOUS);
        }
        orders.start(1);
        List<String> reports = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            for (String line : orders.process("order " + i, "order", i)) {
                assertThat(line).isEqualTo("AMBIGUOUS order " + i + " null order null " + i);
                reports.add(line);
            }
        }
        long ambiguous = orders.stream.gaugeSum(MachineMetrics.AMBIGUOUS);
        assertThat(ambiguous).isPositive();
        assertThat(reports).hasSize(isReported ? (int) ambiguous : 0);
        // Each event began a machine, unless it was ambiguous or met another machine's state.
        assertThat(orders.stream.gaugeSum(MachineMetrics.BEGAN)).isBetween(1L, 20_000 - ambiguous);
        assertThat(orders.stream.gaugeSum(MachineMetrics.EVENTS)).isEqualTo(20_000);
    }

    @Test
    void aDrainReportsOpenMachinesAndTheJobGoesOnFromItsSavepoint() throws Exception {
        orders.start(2);
        orders.process("a", "order", 1_000);
        assertThat(orders.advance(Long.MAX_VALUE)).containsExactly("OPEN ordered 20000");
        assertThat(orders.stream.endInput()).isEmpty();
        assertThat(orders.stream.counter(MachineMetrics.OPEN_AT_END)).isEqualTo(1);
        orders.stream.snapshot();
        orders.start(3);
        assertThat(orders.process("a", "cancel", 2_000))
                .containsExactly("FINISHED a ordered cancel cancelled 2000");
    }

    @ParameterizedTest
    @EnumSource
    void filtersCountWhatTheyCannotName(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.start(1);
        orders.process("a", "order", 1_000);
        assertThat(orders.advance(100_000)).hasSize(store == StoreKind.EXACT ? 1 : 0);
        assertThat(orders.stream.gaugeSum(MachineMetrics.TIMED_OUT)).isEqualTo(1);
    }

    @Test
    void inProcessingTimeTheWallClockDecidesWithoutEvents() throws Exception {
        orders.options.set(WindowedOptions.TIME_DOMAIN, TimeDomain.PROCESSING);
        orders.stream.processingTime(100_000);
        orders.start(1);
        assertThat(orders.process("a", "order", Long.MIN_VALUE)).isEmpty();
        var harness = orders.stream.harnesses().get(0);
        harness.getOutput().clear();
        for (long now = 101_000; now <= 125_000; now += 1_000) {
            orders.stream.processingTime(now);
        }
        assertThat(Orders.lines(harness.extractOutputValues()))
                .containsExactly("TIMED_OUT ordered 120000");
    }

    @Test
    void recordsThatAreNoEventsLateOnesAndWildTimesAreCounted() throws Exception {
        OutputTag<Orders.Event> late = new OutputTag<>("late") {};
        orders.onLate = OnLate.sideOutput(late);
        orders.start(1);
        orders.process("a", null, 1);
        orders.advance(5_000);
        orders.process("a", "order", 5_000);
        orders.process("b", "order", 5_000 + Duration.ofDays(400).toMillis());
        assertThat(orders.stream.counter(FollowingMetrics.SKIPPED)).isEqualTo(1);
        assertThat(orders.stream.counter(FollowingMetrics.LATE)).isEqualTo(1);
        assertThat(orders.stream.sideOutput(late)).hasSize(1);
        assertThat(orders.stream.counter(FollowingMetrics.FUTURE)).isEqualTo(1);
        // It is held as if at the bound: an hour ahead.
        assertThat(orders.advance(5_000 + 3_700_000)).hasSize(1);
    }

    @Test
    void withoutRoomAnEventHasNoEffectAndIsCounted() throws Exception {
        orders.options.set(MachineOptions.MEMORY, MemorySize.ofMebiBytes(1));
        orders.emit(Kind.FIRST).start(1);
        long first = 0;
        for (int i = 0; i < 100_000; i++) {
            first += orders.process("order " + i, "order", 1).size();
        }
        long without = orders.stream.gaugeSum(MachineMetrics.WITHOUT_ROOM);
        assertThat(without).isPositive();
        assertThat(first).isEqualTo(100_000 - without);
        assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isEqualTo(first);
        assertThat(orders.stream.gaugeSum(MachineMetrics.BYTES)).isLessThanOrEqualTo(1 << 20);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACT", "FINGERPRINTS"})
    void aDefinitionWithOtherNumbersTakesTheMachinesOverByName(StoreKind store) throws Exception {
        orders.options.set(MachineOptions.STORE, store);
        orders.start(2);
        orders.process("a", "order", 1_000);
        orders.process("b", "order", 1_000);
        orders.process("b", "pay", 1_000);
        orders.stream.snapshot();
        orders.machine =
                MachineDefinition.named("orders")
                        .initial("none")
                        .state("returned", Duration.ofSeconds(3))
                        .state("settled", Duration.ofSeconds(30))
                        .state("ordered", Duration.ofSeconds(10))
                        .terminal("shipped")
                        .transition("none", "order", "ordered")
                        .transition("ordered", "pay", "settled")
                        .transition("settled", "return", "returned")
                        .transition("settled", "ship", "shipped")
                        .build();
        orders.renamed.put("paid", "settled");
        orders.start(3);
        orders.advance(1_001);
        assertThat(orders.process("b", "ship", 2_000))
                .containsExactly("FINISHED b settled ship shipped 2000");
        if (store == StoreKind.EXACT) {
            assertThat(orders.advance(60_000)).containsExactly("TIMED_OUT ordered 20000");
        } else {
            assertThat(orders.advance(20_000 - 2)).isEmpty();
            assertThat(orders.stream.gaugeSum(MachineMetrics.MACHINES)).isEqualTo(1);
            assertThat(orders.advance(20_000 - 1)).isEmpty();
            assertThat(orders.stream.gaugeSum(MachineMetrics.TIMED_OUT)).isEqualTo(1);
        }
    }

    @Test
    void aStateThatIsGoneIsRefusedByItsName() throws Exception {
        orders.start(1);
        orders.process("a", "order", 1_000);
        orders.stream.snapshot();
        orders.machine =
                MachineDefinition.named("orders")
                        .initial("none")
                        .state("open", Duration.ofSeconds(3))
                        .transition("none", "order", "open")
                        .build();
        assertThatThrownBy(() -> orders.start(1))
                .hasMessageContainingAll(
                        "state 'ordered'", "machine 'orders'", "renamed(\"ordered\", ...)");
        orders.renamed.put("ordered", "open");
        orders.renamed.put("paid", "none");
        orders.renamed.put("shipped", "none");
        orders.start(1);
        assertThat(orders.advance(100_000)).containsExactly("TIMED_OUT open 6000");
    }

    @Test
    void filtersRefuseOtherStates() throws Exception {
        orders.options.set(MachineOptions.STORE, StoreKind.KBF);
        orders.start(1);
        orders.process("a", "order", 1_000);
        orders.stream.snapshot();
        orders.machine =
                Orders.definition()
                        .state("new", Duration.ofSeconds(10))
                        .transition("ordered", "renew", "new")
                        .build();
        assertThatThrownBy(() -> orders.start(1))
                .hasMessageContainingAll("[ordered, paid, shipped]", "new");
        orders.machine = Orders.definition().build();
        orders.start(1);
        assertThat(orders.process("a", "cancel", 2_000)).hasSize(1);
    }

    @Test
    void anotherStoreOrClockIsRefused() throws Exception {
        orders.start(1);
        orders.process("a", "order", 1_000);
        orders.stream.snapshot();
        orders.options.set(MachineOptions.STORE, StoreKind.KBF);
        assertThatThrownBy(() -> orders.start(1))
                .hasMessageContainingAll("store=EXACT", "store=KBF");
        orders.options.set(MachineOptions.STORE, StoreKind.EXACT);
        orders.options.set(WindowedOptions.TIME_DOMAIN, TimeDomain.PROCESSING);
        assertThatThrownBy(() -> orders.start(1))
                .hasMessageContainingAll("timeDomain=EVENT", "timeDomain=PROCESSING");
    }

    @Test
    void anErrorProbabilityChoosesTheStoreAndANamedOneWins() throws Exception {
        orders.options.set(MachineOptions.ERROR_PROBABILITY, 0.01);
        orders.options.set(MachineOptions.EXPECTING, 1_000_000L);
        orders.start(1);
        orders.process("a", "order", 1_000);
        orders.stream.snapshot();
        // It is the store that was chosen before.
        orders.start(2);
        assertThat(orders.process("a", "cancel", 2_000)).hasSize(1);
        orders.process("b", "order", 1_000);
        orders.stream.snapshot();
        orders.options.set(MachineOptions.STORE, StoreKind.EXACT);
        assertThatThrownBy(() -> orders.start(1))
                .hasMessageContainingAll("store=EXACT", "store=FINGERPRINTS");
        orders.options.set(MachineOptions.STORE, StoreKind.FINGERPRINTS);
        orders.start(1);
        assertThat(orders.process("b", "cancel", 2_000)).hasSize(1);
    }

    @Test
    void theErrorIsPredictedAndMeasuredWhileTheJobRuns() throws Exception {
        orders.options.set(MachineOptions.STORE, StoreKind.FINGERPRINTS);
        orders.options.set(MachineOptions.EXPECTING, 1L);
        orders.options.set(MachineOptions.ERROR_PROBABILITY, 0.1);
        int events = 60_000;
        for (int start = 0; start < 2; start++) {
            orders.start(1);
            for (int i = 0; i < events; i++) {
                orders.process("order " + start + " " + i / 2, i % 2 == 0 ? "order" : "pay", 1_000);
            }
            long watched = orders.stream.gaugeSum(MachineMetrics.WATCHED_EVENTS);
            double most = events / 256.0 + 5 * Math.sqrt(events / 256.0 * 2);
            // Far more machines than fingerprints: nearly all of them share one.
            assertThat(watched).isPositive().isLessThan((long) most);
            assertThat(orders.stream.gaugeSum(MachineMetrics.WATCHED_WRONG))
                    .isBetween(watched / 4, watched);
            orders.stream.snapshot();
        }
    }

    @Test
    void theClassThatAFloodFillsMakesRoom() {
        MachineDefinition machine = Orders.definition().build();
        MachineSettings settings =
                MachineSettings.of(machine, orders.renamed, new Configuration(), Orders.ILLEGAL);
        int opening = machine.classes().codeOf(machine.state("ordered"));
        assertThat(settings.stores().times().sacrificed()).isEqualTo(opening);
        assertThat(Arrays.asList(WhenFull.values())).contains(settings.stores().whenFull());
    }
}
