/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Unmixed;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compared with the exact store, which is compared with a map elsewhere. */
class FingerprintStoreTest {

    private static final long SEED = 11;

    /** So many fingerprints that none is shared: the store is exact then. */
    private static final double NO_ERROR = 1e-9;

    /** Counts by state. */
    private static final class Gone implements ExpiryListener {
        private final long[] counts = new long[64];

        @Override
        public void expired(long hash, int state, long millis) {
            counts[state]++;
        }

        @Override
        public void expired(int state, long count) {
            assertThat(count).isPositive();
            counts[state] += count;
        }
    }

    private static StateTimes times(int slices, long... millis) {
        List<StateClasses.Of> classes =
                IntStream.range(0, millis.length)
                        .mapToObj(
                                c ->
                                        new StateClasses.Of(
                                                1 + c % 3,
                                                Duration.ofMillis(millis[c]),
                                                c % 3 == 2))
                        .toList();
        return new StateTimes(new StateClasses(classes), slices, StateTimes.NONE);
    }

    private static FingerprintPlan plan(
            StateTimes times, double machines, double error, long spread) {
        return FingerprintPlan.of(machines, error, StateAges.of(times, spread));
    }

    private static byte[] written(StateStore store) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.writeTo(out);
        return out.toByteArray();
    }

    private static FingerprintStore read(byte[] bytes, FingerprintPlan plan, StateTimes times)
            throws IOException {
        return read(bytes, plan, times, IntStream.range(0, times.states()).toArray());
    }

    private static FingerprintStore read(
            byte[] bytes, FingerprintPlan plan, StateTimes times, int... states)
            throws IOException {
        return FingerprintStore.readFrom(
                new ByteArrayInputStream(bytes),
                "test",
                plan,
                times,
                StoreMemory.unlimited(),
                states);
    }

    /**
     * Any events within what is believed, in any order, with sweeps and restores between: the
     * answers are those of the exact store, and as many machines time out at the same time.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 100",
        "1, 100, 1000, 300",
        "3, 100, 1000, 300",
        "16, 1000, 50, 0",
        "2, 1, 31622400000, 5",
        "1, 100, 100, 30000"
    })
    void answersAsTheExactStoreDoesWhileNoMachinesShareAFingerprint(
            int slices, long first, long second, long spread) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        StateTimes times = times(slices, first, second, first + second);
        FingerprintPlan plan = plan(times, 200, NO_ERROR, spread);
        StateStore exact = new ExactStore(times, StoreMemory.unlimited());
        FingerprintStore store = new FingerprintStore(plan, times, StoreMemory.unlimited());
        Gone exactGone = new Gone();
        Gone gone = new Gone();
        Lookup exactFound = new Lookup();
        Lookup found = new Lookup();
        long watermark = 1_000_000;
        exact.advance(watermark, watermark + spread, exactGone);
        store.advance(watermark, watermark + spread, gone);
        for (int i = 0; i < 20_000; i++) {
            long hash = random.nextInt(1_000);
            long millis = watermark + random.nextLong(spread + 1);
            int state = exact.find(hash, millis, exactFound, exactGone);
            assertThat(store.find(hash, millis, found, gone)).isEqualTo(state);
            if (state >= 0 && random.nextInt(3) == 0) {
                assertThat(exact.remove(exactFound)).isEqualTo(StateStore.Stored.YES);
                assertThat(store.remove(found)).isEqualTo(StateStore.Stored.YES);
            } else if (random.nextInt(4) > 0) {
                int next = random.nextInt(times.states());
                assertThat(exact.put(exactFound, next, exactGone)).isEqualTo(StateStore.Stored.YES);
                assertThat(store.put(found, next, gone)).isEqualTo(StateStore.Stored.YES);
            }
            if (random.nextInt(20) == 0) {
                watermark += random.nextLong(first + second / 50);
                exact.advance(watermark, watermark + spread, exactGone);
                store.advance(watermark, watermark + spread, gone);
                assertThat(gone.counts).isEqualTo(exactGone.counts);
                assertThat(store.machines()).isEqualTo(exact.machines());
            }
            if (random.nextInt(2_000) == 0) {
                store = read(written(store), plan, times);
                store.advance(watermark, watermark + spread, gone);
            }
            int any = random.nextInt(times.states());
            assertThat(store.machines(any)).isEqualTo(exact.machines(any));
        }
        assertThat(Arrays.stream(gone.counts).sum()).isPositive();
        Gone open = new Gone();
        Gone exactOpen = new Gone();
        store.forEachOpen(open);
        exact.forEachOpen(exactOpen);
        assertThat(open.counts).isEqualTo(exactOpen.counts);
        store.advance(Long.MAX_VALUE, Long.MAX_VALUE, gone);
        assertThat(store.machines()).isZero();
    }

    /** As in a backlog whose partitions are hours apart. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void beforeTheFirstWatermarkTimesAreExactTooIfTheyAreWithinWhatIsBelieved(int slices) {
        long spread = 10_000;
        StateTimes times = times(slices, 100, 1_000, 500);
        FingerprintStore store =
                new FingerprintStore(
                        plan(times, 200, NO_ERROR, spread), times, StoreMemory.unlimited());
        StateStore exact = new ExactStore(times, StoreMemory.unlimited());
        SplittableRandom random = new SplittableRandom(SEED);
        Gone exactGone = new Gone();
        Gone gone = new Gone();
        Lookup exactFound = new Lookup();
        Lookup found = new Lookup();
        for (int i = 0; i < 10_000; i++) {
            long hash = random.nextInt(1_000);
            // Of five partitions, each is two seconds ahead of the next.
            long millis = (5 - hash % 5) * 2_000 + i / 5;
            int state = exact.find(hash, millis, exactFound, exactGone);
            assertThat(store.find(hash, millis, found, gone)).isEqualTo(state);
            int next = random.nextInt(times.states());
            assertThat(exact.put(exactFound, next, exactGone)).isEqualTo(StateStore.Stored.YES);
            assertThat(store.put(found, next, gone)).isEqualTo(StateStore.Stored.YES);
        }
        assertThat(Arrays.stream(gone.counts).sum()).isGreaterThan(500);
        exact.advance(6_000, 6_000 + spread, exactGone);
        store.advance(6_000, 6_000 + spread, gone);
        assertThat(gone.counts).isEqualTo(exactGone.counts);
    }

    /** Before the first watermark nothing says which times are right. */
    @Test
    void withoutAWatermarkAMachineTimesOutNoEarlierThanByItsOwnTime() {
        SplittableRandom random = new SplittableRandom(SEED);
        StateTimes times = times(2, 100);
        for (int history = 0; history < 200; history++) {
            FingerprintStore store =
                    new FingerprintStore(
                            plan(times, 100, NO_ERROR, 50), times, StoreMemory.unlimited());
            Map<Long, Long> used = new HashMap<>();
            Lookup found = new Lookup();
            Gone gone = new Gone();
            for (int i = 0; i < 100; i++) {
                long hash = random.nextLong();
                long millis = random.nextLong(10_000);
                used.put(hash, millis);
                assertThat(store.find(hash, millis, found, gone)).isEqualTo(StateStore.ABSENT);
                assertThat(store.put(found, 0, gone)).isEqualTo(StateStore.Stored.YES);
            }
            for (long watermark = 0; watermark < 12_000; watermark += 250) {
                store.advance(watermark, Long.MAX_VALUE, gone);
                long now = watermark;
                long atLeast = used.values().stream().filter(its -> its + 100 > now).count();
                assertThat(store.machines()).isGreaterThanOrEqualTo(atLeast);
            }
            assertThat(store.machines()).isZero();
        }
    }

    /** The promise of the plan, and that nothing of it is wasted: within five standard errors. */
    @ParameterizedTest
    @CsvSource({"5000, 0.1", "5000, 0.01", "200, 0.01", "60, 0.1", "1, 0.1"})
    void newMachinesAreTakenForHeldOnesAsOftenAsIsPredicted(int machines, double error) {
        SplittableRandom random = new SplittableRandom(SEED);
        StateTimes times = times(1, 1_000);
        FingerprintPlan plan = plan(times, machines, error, 0);
        assertThat(plan.error(machines)).isBetween(error / 8, error);
        FingerprintStore store = new FingerprintStore(plan, times, StoreMemory.unlimited());
        Gone gone = new Gone();
        Lookup found = new Lookup();
        while (store.machines() < machines) {
            store.find(random.nextLong(), 0, found, gone);
            store.put(found, 0, gone);
        }
        int asked = 400_000;
        int wrong = 0;
        for (int i = 0; i < asked; i++) {
            wrong += store.find(random.nextLong(), 0, found, gone) == StateStore.ABSENT ? 0 : 1;
        }
        // Half of the prediction: the other half is of machines that come while one lives.
        double expected = asked * plan.error(machines) / 2;
        double allowed = 5 * Math.sqrt(expected) + 1;
        assertThat((double) wrong).isBetween(expected - allowed, expected + allowed);
    }

    @Test
    void aTableTakesWhatThePlanSaysAndShrinksAgain() {
        StateTimes times = times(1, 1_000);
        FingerprintPlan plan = plan(times, 10_000, 1e-4, 0);
        StoreMemory memory = new StoreMemory(1 << 20, WhenFull.FAIL);
        FingerprintStore store = new FingerprintStore(plan, times, memory);
        long empty = store.sizeInBytes();
        Gone gone = new Gone();
        Lookup found = new Lookup();
        for (int i = 0; i < 10_000; i++) {
            store.find(i, 0, found, gone);
            store.put(found, 0, gone);
        }
        // It is made for no more than chance adds to the machines that are expected.
        assertThat(store.sizeInBytes()).isLessThan(plan.bytes(10_000.0) + 256);
        assertThat(8.0 * store.sizeInBytes() / 10_000).isLessThan(27);
        assertThat(memory.usedBytes()).isEqualTo(store.sizeInBytes());
        store.advance(5_000, 5_000, gone);
        assertThat(store.machines()).isZero();
        assertThat(store.sizeInBytes()).isEqualTo(empty);
        assertThat(memory.usedBytes()).isEqualTo(empty);
    }

    private static int fill(StateStore store, Gone gone, int machines) {
        Lookup found = new Lookup();
        int refused = 0;
        for (int i = 0; i < machines; i++) {
            assertThat(store.find(i, i, found, gone)).isEqualTo(StateStore.ABSENT);
            refused += store.put(found, 0, gone) == StateStore.Stored.NO_ROOM ? 1 : 0;
        }
        return refused;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1_000, 10_000, 50_000})
    void aFullStoreDoesWhatItsPolicySays(long cap) {
        StateTimes times = times(2, 10_000);
        FingerprintPlan plan = plan(times, 5_000, NO_ERROR, 0);
        for (WhenFull policy : WhenFull.values()) {
            StoreMemory memory = new StoreMemory(cap, policy);
            FingerprintStore store = new FingerprintStore(plan, times, memory);
            Gone gone = new Gone();
            if (policy == WhenFull.FAIL) {
                assertThatThrownBy(() -> fill(store, gone, 20_000))
                        .isInstanceOf(FilterFullException.class);
                assertThat(store.machines()).isGreaterThanOrEqualTo(45);
                continue;
            }
            int refused = fill(store, gone, 20_000);
            assertThat(memory.refusals()).isEqualTo(refused);
            assertThat(memory.evicted()).isEqualTo(gone.counts[0]);
            assertThat(store.machines()).isEqualTo(20_000 - refused - gone.counts[0]);
            assertThat(store.machines()).isGreaterThanOrEqualTo(43);
            assertThat(refused > 0).isEqualTo(policy == WhenFull.IGNORE);
            if (policy == WhenFull.EVICT) {
                // The oldest went: the latest is there.
                assertThat(store.find(19_999, 19_999, new Lookup(), gone)).isZero();
            }
        }
    }

    /** Whoever can choose hashes finds no room, and no exception. */
    @Test
    void hashesThatCrowdFindNoRoom() {
        StateTimes times = times(1, 1_000);
        StoreMemory memory = new StoreMemory(1 << 22, WhenFull.EVICT);
        FingerprintStore store = new FingerprintStore(plan(times, 100_000, 1e-6, 0), times, memory);
        Gone gone = new Gone();
        Lookup found = new Lookup();
        int stored = 0;
        for (int i = 0; i < 3_000; i++) {
            store.find(Unmixed.hash(-1L - ((long) i << 27)), 0, found, gone);
            stored += store.put(found, 0, gone) == StateStore.Stored.YES ? 1 : 0;
        }
        assertThat(store.machines()).isEqualTo(stored);
        assertThat(memory.refusals()).isEqualTo(3_000 - stored);
        assertThat(stored).isBetween(400, 2_999);
        assertThat(memory.evicted()).isZero();
    }

    /** Machines that are expected by their thousands may come by their millions. */
    @Test
    void farMoreMachinesThanExpectedAreHeldUntilFingerprintsRunOut() {
        StateTimes times = times(1, 1_000);
        FingerprintPlan plan = plan(times, 1, 0.1, 0);
        StoreMemory memory = new StoreMemory(1 << 24, WhenFull.IGNORE);
        FingerprintStore store = new FingerprintStore(plan, times, memory);
        Gone gone = new Gone();
        Lookup found = new Lookup();
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 100_000; i++) {
            store.find(random.nextLong(), 0, found, gone);
            store.put(found, 0, gone);
        }
        assertThat(store.machines()).isEqualTo((long) (0.95 * plan.fingerprints() / 2));
        assertThat(memory.refusals()).isPositive();
        store.advance(5_000, 5_000, gone);
        assertThat(store.machines()).isZero();
    }

    @Test
    void otherTimesStatesAndPlansTakeTheMachinesOver() throws IOException {
        StateTimes times = times(1, 1_000, 5_000);
        FingerprintStore store =
                new FingerprintStore(
                        plan(times, 50, NO_ERROR, 100), times, StoreMemory.unlimited());
        Gone gone = new Gone();
        Lookup found = new Lookup();
        for (int i = 0; i < 300; i++) {
            store.find(i, 10_000 + i, found, gone);
            store.put(found, i % 3, gone);
        }
        // State 1 is gone for good, 2 has become 0.
        StateTimes others = times(4, 3_000);
        FingerprintPlan plan = plan(others, 1_000_000, 1e-3, 0);
        FingerprintStore read = read(written(store), plan, others, 0, -1, 0);
        assertThat(read.machines()).isEqualTo(200);
        for (int i = 0; i < 300; i++) {
            int expected = i % 3 == 1 ? StateStore.ABSENT : 0;
            assertThat(read.find(i, 10_300, found, gone)).isEqualTo(expected);
        }
        assertThat(read.table().fingerprints()).isEqualTo(store.table().fingerprints());
        read.advance(12_999, 12_999, gone);
        assertThat(read.machines()).isEqualTo(200);
        read.advance(20_000, 20_000, gone);
        assertThat(read.machines()).isZero();
        // Nothing is held that needs the former ones.
        assertThat(read.table().fingerprints()).isEqualTo(plan.fingerprints());
        FingerprintStore emptied = read(written(read), plan(times, 7, 0.1, 0), times, 0);
        assertThat(emptied.table().fingerprints()).isEqualTo(plan(times, 7, 0.1, 0).fingerprints());
    }

    @Test
    void statesThatAreNotThoseOfTheBytesAreRefused() throws IOException {
        StateTimes times = times(1, 1_000, 5_000);
        FingerprintPlan plan = plan(times, 50, 1e-4, 0);
        byte[] bytes = written(new FingerprintStore(plan, times, StoreMemory.unlimited()));
        assertThatThrownBy(() -> read(bytes, plan, times, 0, 1))
                .isInstanceOf(CorruptFilterException.class);
        assertThatThrownBy(
                        () ->
                                ExactStore.readFrom(
                                        new ByteArrayInputStream(bytes),
                                        "test",
                                        times,
                                        StoreMemory.unlimited()))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("kind");
    }
}
