/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.MeasuredError;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineShadowTest {

    private static final long CAP = 1 << 20;
    private static final List<String> EVENTS = List.of("one", "two", "three", "end");

    /** Three steps and an end, so that two machines are seldom in the same state. */
    private static final MachineDefinition STEPS =
            MachineDefinition.named("steps")
                    .initial("none")
                    .timeToLive(Duration.ofSeconds(10))
                    .state("first")
                    .state("second")
                    .state("third")
                    .terminal("done")
                    .transition("none", "one", "first")
                    .transition("first", "two", "second")
                    .transition("second", "three", "third")
                    .transition("third", "end", "done")
                    .build();

    private static final int ONE = STEPS.event("one");
    private static final int TWO = STEPS.event("two");
    private static final int NONE = STEPS.initial();
    private static final int FIRST = STEPS.state("first");
    private static final int SECOND = STEPS.state("second");
    private static final int THIRD = STEPS.state("third");

    private static MachineShadow shadow(long capBytes, boolean isRestored) {
        StateTimes times = new StateTimes(STEPS.classes(), 1, StateTimes.NONE);
        return new MachineShadow(STEPS, times, capBytes, isRestored);
    }

    private static MeasuredError error(long events, long wrong) {
        return new MeasuredError(events, wrong);
    }

    @Test
    void anAnswerIsWrongIfItIsAnotherStateOrNone() {
        MachineShadow shadow = shadow(CAP, false);
        shadow.follow(1, ONE, 0, NONE);
        shadow.follow(1, TWO, 0, FIRST);
        assertThat(shadow.error()).isEqualTo(error(2, 0));
        shadow.follow(1, ONE, 0, FIRST);
        shadow.follow(1, ONE, 0, -1);
        shadow.follow(1, ONE, 0, SECOND);
        shadow.follow(2, ONE, 0, THIRD);
        assertThat(shadow.error()).isEqualTo(error(6, 3));
        // What has timed out is not held.
        shadow.advance(20_000, Long.MAX_VALUE);
        shadow.follow(1, ONE, 20_000, NONE);
        assertThat(shadow.error()).isEqualTo(error(7, 3));
    }

    @Test
    void afterARestoreMachinesOfBeforeAreTakenOverAndDoNotCount() {
        MachineShadow shadow = shadow(CAP, true);
        shadow.follow(1, TWO, 0, FIRST);
        shadow.follow(2, TWO, 0, FIRST);
        shadow.follow(3, ONE, 0, NONE);
        assertThat(shadow.error()).isEqualTo(error(0, 0));
        shadow.follow(1, ONE, 0, SECOND);
        shadow.follow(2, ONE, 0, FIRST);
        shadow.follow(3, ONE, 0, FIRST);
        assertThat(shadow.error()).isEqualTo(error(3, 1));
        // An answer that could not be given is one of no state.
        shadow.follow(4, ONE, 0, -1);
        assertThat(shadow.error()).isEqualTo(error(4, 2));
        shadow.advance(1_000, Long.MAX_VALUE);
        shadow.advance(30_999, Long.MAX_VALUE);
        shadow.follow(5, TWO, 30_999, FIRST);
        assertThat(shadow.error()).isEqualTo(error(4, 2));
        // By now whatever the sample does not know has timed out.
        shadow.advance(31_000, Long.MAX_VALUE);
        shadow.follow(6, TWO, 31_000, FIRST);
        assertThat(shadow.error()).isEqualTo(error(5, 3));
    }

    /** Machines of a partition that is ahead time out later than the watermark says. */
    @Test
    void afterARestoreMachinesOfAPartitionThatIsAheadAreTakenOverToo() {
        MachineShadow shadow = shadow(CAP, true);
        shadow.follow(1, ONE, 0, NONE);
        shadow.follow(2, ONE, 3_600_000, NONE);
        shadow.advance(1_000, 7_200_000);
        shadow.advance(3_600_000, 10_800_000);
        shadow.follow(3, TWO, 3_601_000, FIRST);
        assertThat(shadow.error()).isEqualTo(error(0, 0));
        shadow.advance(3_630_000, 10_830_000);
        shadow.follow(4, TWO, 3_630_001, FIRST);
        assertThat(shadow.error()).isEqualTo(error(1, 1));
    }

    /** These events leave the time of last use, so they do not tell when a machine times out. */
    @Test
    void afterARestoreNeitherAnIllegalEventNorOneThatTrailsTakesAMachineOver() {
        MachineDefinition held =
                MachineDefinition.named("held")
                        .initial("none")
                        .timeToLive(Duration.ofSeconds(10))
                        .state("open")
                        .terminal("closed", Duration.ofSeconds(10))
                        .transition("none", "open", "open")
                        .transition("open", "close", "closed")
                        .transition("closed", "close", "closed")
                        .transition("closed", "open", "open")
                        .build();
        StateTimes times = new StateTimes(held.classes(), 1, StateTimes.NONE);
        MachineShadow shadow = new MachineShadow(held, times, CAP, true);
        int open = held.state("open");
        int closed = held.state("closed");
        // Both were in use at 0 for the last time, and are so in the store.
        shadow.follow(1, held.event("open"), 19_999, open);
        shadow.follow(2, held.event("close"), 19_999, closed);
        shadow.follow(1, held.event("close"), 20_000, held.initial());
        shadow.follow(2, held.event("open"), 20_000, held.initial());
        assertThat(shadow.error()).isEqualTo(error(0, 0));
        // The event that began the next machine told its time.
        shadow.follow(2, held.event("close"), 20_001, open);
        assertThat(shadow.error()).isEqualTo(error(1, 0));
    }

    @Test
    void withoutRoomItBeginsAnewWithHalfOfTheKeys() {
        MachineShadow shadow = shadow(1, false);
        SplittableRandom random = new SplittableRandom(1);
        int chosen = 0;
        long id = 0;
        for (int i = 0; i < 100_000; i++) {
            id = random.nextLong();
            if (shadow.contains(id)) {
                chosen++;
                shadow.follow(id, ONE, 0, NONE);
            }
        }
        // 14 of 16 slots, then twice as coarse: the number of keys is the logarithm's.
        assertThat(chosen).isBetween(14 * 3, 14 * 10);
        assertThat(shadow.error().firsts()).isLessThanOrEqualTo(14);
        assertThat(shadow.error().dropped()).isZero();
    }

    /** The definition of the error, its prediction and its measurement agree. */
    @ParameterizedTest
    @CsvSource({"FINGERPRINTS, 2000, 0.05", "FINGERPRINTS, 2000, 0.005", "KBF, 2000, 0.05"})
    void theMeasuredErrorIsWithinThePrediction(StoreKind kind, int machines, double error) {
        Configuration options = new Configuration();
        options.set(MachineOptions.STORE, kind);
        options.set(MachineOptions.EXPECTING, (long) machines);
        options.set(MachineOptions.ERROR_PROBABILITY, error);
        StoreSettings stores = MachineSettings.of(STEPS, Map.of(), options, null).stores();
        StateStore store = stores.stores(1, StoreMemory.unlimited()).create();
        MachineGroup group =
                new MachineGroup(STEPS, store, new MachineCounts(), (id, state, millis) -> {});
        MachineShadow shadow = shadow(1 << 24, false);
        SplittableRandom random = new SplittableRandom(5);
        long[] ids = random.longs(machines).toArray();
        int[] steps = new int[machines];
        double predicted = 0;
        int events = 400_000;
        for (int i = 0; i < events; i++) {
            int at = random.nextInt(machines);
            int event = STEPS.event(EVENTS.get(steps[at]));
            boolean isFollowed = group.follow(ids[at], event, 0);
            shadow.follow(ids[at], event, 0, isFollowed ? group.from() : -1);
            steps[at]++;
            if (steps[at] == EVENTS.size()) {
                steps[at] = 0;
                ids[at] = random.nextLong();
            }
            predicted += store.predictedError() / events;
        }
        assertThat(predicted).isLessThanOrEqualTo(error * 1.05);
        MeasuredError measured = shadow.error();
        assertThat(measured.firsts()).isEqualTo(events);
        // Wrong answers come in groups, as machines that share a fingerprint meet again.
        double allowed = 5 * Math.sqrt(events * predicted * EVENTS.size());
        assertThat((double) measured.dropped())
                .isBetween(events * predicted / 20, events * predicted + allowed);
    }
}
