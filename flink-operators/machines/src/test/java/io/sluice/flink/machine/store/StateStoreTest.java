/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.machine.MachineBuilder;
import io.sluice.flink.machine.MachineDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stores take the number of states, and their classes, from whoever makes them. */
class StateStoreTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Tells the times of flows that left, by hash; of flows without a hash the number by state. */
    private static final class Gone implements ExpiryListener {
        private final Map<Long, Integer> states = new HashMap<>();
        private final long[] counts = new long[64];

        @Override
        public void expired(long hash, int state, long millis) {
            states.put(hash, state);
            counts[state]++;
        }

        @Override
        public void expired(int state, long count) {
            counts[state] += count;
        }
    }

    private static StateTimes times(int states, int slices) {
        MachineBuilder<String, String> machine = MachineDefinition.named("m").initial("i");
        for (int state = 0; state < states; state++) {
            String name = "s" + state;
            Duration ttl = MINUTE.multipliedBy(1 + state % 5);
            machine = state % 7 == 6 ? machine.terminal(name, ttl) : machine.state(name, ttl);
            machine.transition("i", "e" + state, name);
        }
        return new StateTimes(machine.build().classes(), slices, StateTimes.NONE);
    }

    private static StateStore store(StoreKind kind, StateTimes times) {
        if (kind == StoreKind.EXACT) {
            return new ExactStore(times, StoreMemory.unlimited());
        }
        if (kind == StoreKind.FINGERPRINTS) {
            FingerprintPlan plan = FingerprintPlan.of(500, 1e-9, StateAges.of(times, 0));
            return new FingerprintStore(plan, times, StoreMemory.unlimited());
        }
        List<double[]> frequencies = new ArrayList<>();
        StateClasses classes = times.classes();
        for (int c = 0; c < classes.count(); c++) {
            double[] equal = new double[classes.states(c)];
            Arrays.fill(equal, 1.0 / equal.length);
            frequencies.add(equal);
        }
        return new GenerationalStore(
                new KeyValueGenerations(400, 3, Storage.HEAP, frequencies),
                times,
                StoreMemory.unlimited(),
                2_000);
    }

    @ParameterizedTest
    @CsvSource({
        "EXACT, 1", "EXACT, 3", "EXACT, 31",
        "FINGERPRINTS, 1", "FINGERPRINTS, 3", "FINGERPRINTS, 31",
        "KBF, 1", "KBF, 3", "KBF, 31"
    })
    void everyStateIsHeldAndTimesOutByTheTimeOfItsClass(StoreKind kind, int states) {
        StateTimes times = times(states, 2);
        StateStore store = store(kind, times);
        Lookup flow = new Lookup();
        Gone gone = new Gone();
        SplittableRandom random = new SplittableRandom(states);
        Map<Long, Integer> model = new TreeMap<>();
        for (int i = 0; i < 2_000; i++) {
            long hash = Hashing.hash((long) random.nextInt(500));
            int state = random.nextInt(states);
            assertThat(store.find(hash, 0, flow, gone))
                    .isEqualTo(model.getOrDefault(hash, StateStore.ABSENT));
            assertThat(store.put(flow, state, gone)).isEqualTo(StateStore.Stored.YES);
            model.put(hash, state);
        }
        for (int state = 0; state < states; state++) {
            int its = state;
            assertThat(store.machines(state))
                    .isEqualTo(model.values().stream().filter(each -> each == its).count());
        }
        for (long minute = 1; minute <= 8; minute++) {
            long now = minute * MINUTE.toMillis();
            store.advance(now, Long.MAX_VALUE, gone);
            for (int state = 0; state < states; state++) {
                int its = state;
                int code = times.codeOf(state);
                boolean isOver = now / times.sliceMillis(code) > times.slices();
                long inState = model.values().stream().filter(each -> each == its).count();
                assertThat(gone.counts[state]).isEqualTo(isOver ? inState : 0);
            }
        }
        assertThat(store.machines()).isZero();
        if (kind == StoreKind.EXACT) {
            assertThat(gone.states).isEqualTo(model);
        }
    }

    @Test
    void moreStatesThanASlotTellsApartAreRefused() {
        StateTimes tooMany =
                new StateTimes(
                        new StateClasses(List.of(new StateClasses.Of(32, MINUTE, false))),
                        1,
                        StateTimes.NONE);
        assertThatThrownBy(() -> new ExactStore(tooMany, StoreMemory.unlimited()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("31", "32");
    }
}
