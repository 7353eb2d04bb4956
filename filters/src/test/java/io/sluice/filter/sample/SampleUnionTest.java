/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SampleUnionTest {

    private static final long WINDOW = 1_000;
    private static final long CLOCK = 10_000;

    private static final SampleMemory MEMORY =
            new SampleMemory() {
                @Override
                public Optional<Words> allocate(long words) {
                    return Optional.of(Words.allocate(Storage.HEAP, words));
                }

                @Override
                public void release(Words words) {
                    // The collector does.
                }
            };

    private final long[] hashes = Seeds.random().longs(400).toArray();

    /** Knows the hashes in a range, each once. */
    private IdSample sample(int maxIds, int from, int to) {
        IdSample sample = IdSample.ofEventTime(maxIds, 1, WINDOW, MEMORY);
        sample.advanceTo(CLOCK);
        for (int i = from; i < to; i++) {
            if (sample.contains(hashes[i])) {
                sample.added(hashes[i], CLOCK + i, CLOCK + i, true, Long.MIN_VALUE);
            }
        }
        return sample;
    }

    private static Set<Long> ids(StoredSample sample) {
        Set<Long> ids = new TreeSet<>();
        sample.forEach((hash, time) -> ids.add(hash));
        return ids;
    }

    private Set<Long> chosen(StoredSample by, int from, int to) {
        Set<Long> chosen = new TreeSet<>();
        LongStream.range(from, to)
                .map(i -> hashes[(int) i])
                .filter(by::contains)
                .forEach(chosen::add);
        return chosen;
    }

    @Test
    void itKnowsTheIdsOfBothAndCountsThoseOfTheFirst() {
        StoredSample union = sample(1_000, 0, 300).stored().union(sample(1_000, 200, 400).stored());

        assertThat(ids(union)).isEqualTo(chosen(union, 0, 400)).hasSize(400);
        assertThat(union.size()).isEqualTo(400);
        assertThat(union.error()).isEqualTo(new MeasuredError(300, 0));
        assertThat(union.isComplete()).isTrue();

        IdSample restored = IdSample.ofEventTime(1_000, 1, WINDOW, MEMORY);
        restored.restore(union);
        restored.advanceTo(CLOCK + 400);
        // The filter holds what the other had seen: it is not a wrong duplicate.
        restored.added(hashes[350], CLOCK + 350, CLOCK + 350, false, Long.MIN_VALUE);
        assertThat(restored.error()).isEqualTo(new MeasuredError(300, 0));
        assertThat(restored.missed()).isZero();
    }

    @Test
    void itChoosesWhatBothChoose() {
        StoredSample fine = sample(1_000, 0, 300).stored();
        StoredSample coarse = sample(64, 200, 400).stored();
        assertThat(coarse.oneIn()).isGreaterThan(fine.oneIn());
        for (StoredSample union : new StoredSample[] {fine.union(coarse), coarse.union(fine)}) {
            assertThat(union.oneIn()).isEqualTo(coarse.oneIn());
            assertThat(ids(union)).isEqualTo(chosen(coarse, 0, 400));
        }
        assertThat(coarse.union(fine).error()).isEqualTo(coarse.error());
    }

    @Test
    void whereOneDoesNotKnowItsIdsNothingIsCountedUntilTheyHaveLeft() {
        IdSample late = sample(1_000, 200, 400);
        late.beginsLate();
        assertThat(sample(1_000, 0, 300).stored().union(late.stored()).isComplete()).isFalse();
        StoredSample none = IdSample.ofEventTime(0, 1, WINDOW, MEMORY).stored();
        StoredSample union = sample(1_000, 0, 300).stored().union(none);
        assertThat(union.isComplete()).isFalse();
        assertThat(union.error()).isEqualTo(new MeasuredError(300, 0));
        IdSample restored = IdSample.ofEventTime(1_000, 1, WINDOW, MEMORY);
        restored.restore(union);
        restored.advanceTo(CLOCK + 10 * WINDOW);
        restored.advanceTo(CLOCK + 20 * WINDOW);
        assertThat(restored.stored().isComplete()).isTrue();
    }

    @Test
    void ofAnIdTheLatestTimesAreKept() {
        IdSample first = IdSample.ofEventTime(1_000, 1, 1, MEMORY);
        IdSample second = IdSample.ofEventTime(1_000, 1, 1, MEMORY);
        for (int i = 0; i < IdSample.MAX_TIMES; i++) {
            first.passed(hashes[0], 100L * i);
            second.passed(hashes[0], 100L * i + 50);
        }
        StoredSample union = first.stored().union(second.stored());
        assertThat(union.size()).isEqualTo(IdSample.MAX_TIMES);
        union.forEach((hash, time) -> assertThat(time).isGreaterThanOrEqualTo(800));
    }

    @Test
    void aSampleOfAnotherKindIsRefused() {
        StoredSample byClock = IdSample.ofClock(MEMORY, 64, 1, WINDOW, 1).stored();
        StoredSample byTimes = sample(1_000, 0, 10).stored();
        assertThatThrownBy(() -> byTimes.union(byClock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 and 15 bits");
    }
}
