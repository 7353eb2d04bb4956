/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every {@link KeyValueFilter} promises; a subclass only says how to make one. */
public abstract class KeyValueFilterContract {

    protected static final int CAPACITY = 3_000;

    /** An empty filter for {@code capacity} keys and at least 11 values. */
    protected abstract KeyValueFilter create(int capacity);

    /** The greatest share of held keys whose value may be ambiguous at capacity. */
    protected abstract double ambiguous();

    /** The greatest share of absent keys that may get an answer other than absent at capacity. */
    protected abstract double falsePositives();

    @Test
    void anEmptyFilterHoldsNothing() {
        KeyValueFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 1_000; i++) {
            assertThat(filter.query(random.nextLong())).isEqualTo(KeyValueFilter.ABSENT);
        }
    }

    /** As long as callers keep their promises there is no wrong value and no "absent". */
    @Test
    void answersRightOrAmbiguousUnderInsertUpdateAndDelete() {
        KeyValueFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        Map<Long, Integer> model = new HashMap<>();
        List<Long> keys = new ArrayList<>();
        for (int i = 0; i < 20 * CAPACITY; i++) {
            int kind = random.nextInt(3);
            if (keys.size() < CAPACITY / 2 || (kind == 0 && keys.size() < CAPACITY)) {
                long hash = random.nextLong();
                int value = random.nextInt(11);
                if (!model.containsKey(hash)) {
                    filter.insert(hash, value);
                    model.put(hash, value);
                    keys.add(hash);
                }
            } else {
                int at = random.nextInt(keys.size());
                long hash = keys.get(at);
                if (kind == 1) {
                    int value = random.nextInt(11);
                    assertThat(filter.update(hash, model.get(hash), value)).isTrue();
                    model.put(hash, value);
                } else {
                    assertThat(filter.remove(hash, model.remove(hash))).isTrue();
                    keys.set(at, keys.get(keys.size() - 1));
                    keys.remove(keys.size() - 1);
                }
            }
        }
        int unknown = 0;
        for (Map.Entry<Long, Integer> entry : model.entrySet()) {
            int found = filter.query(entry.getKey());
            if (found == KeyValueFilter.AMBIGUOUS) {
                unknown++;
            } else {
                assertThat(found).isEqualTo(entry.getValue());
            }
        }
        assertThat(filter.refused()).isZero();
        double allowed = ambiguous() * model.size();
        assertThat((double) unknown).isLessThan(allowed + 5 * Math.sqrt(allowed) + 1);
        int probes = 50_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            positives += filter.query(random.nextLong()) == KeyValueFilter.ABSENT ? 0 : 1;
        }
        double expected = falsePositives() * probes;
        assertThat((double) positives).isLessThan(expected + 5 * Math.sqrt(expected) + 1);
    }

    @Test
    void refusesAndCountsWhatCertainlyIsNotThere() {
        KeyValueFilter filter = create(CAPACITY);
        filter.insert(mix(1), 3);
        assertThat(filter.remove(mix(2), 3)).isFalse();
        assertThat(filter.update(mix(2), 3, 4)).isFalse();
        assertThat(filter.update(mix(1), 4, 5)).as("another value").isFalse();
        assertThat(filter.refused()).isEqualTo(3);
        assertThat(filter.query(mix(1))).isEqualTo(3);
    }

    /** Answers, refusals and what is left behind; some hashes come several times in a batch. */
    @Test
    void batchesDoWhatSingleCallsDo() {
        KeyValueFilter single = create(CAPACITY);
        KeyValueFilter batched = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        long[] keys = random.longs(CAPACITY).toArray();
        int[] values = random.ints(CAPACITY, 0, 11).toArray();
        for (int i = 0; i < CAPACITY; i++) {
            single.insert(keys[i], values[i]);
            batched.insert(keys[i], values[i]);
        }
        for (int round = 0; round < 60; round++) {
            int from = random.nextInt(5);
            int length = random.nextInt(100);
            int size = from + length + random.nextInt(3);
            long[] hashes = new long[size];
            int[] oldValues = new int[size];
            int[] newValues = new int[size];
            for (int i = 0; i < size; i++) {
                int key = random.nextInt(round < 30 ? CAPACITY : 40);
                hashes[i] = random.nextInt(4) > 0 ? keys[key] : random.nextLong();
                oldValues[i] = values[key];
                newValues[i] = random.nextInt(11);
                if (hashes[i] == keys[key] && i >= from && i < from + length) {
                    values[key] = newValues[i];
                }
            }
            boolean[] done = new boolean[size];
            int updated = batched.updateAll(hashes, oldValues, newValues, from, length, done);
            int[] answers = new int[size];
            int found = batched.queryAll(hashes, from, length, answers);
            for (int i = from; i < from + length; i++) {
                assertThat(done[i]).isEqualTo(single.update(hashes[i], oldValues[i], newValues[i]));
                updated -= done[i] ? 1 : 0;
            }
            for (int i = from; i < from + length; i++) {
                assertThat(answers[i]).isEqualTo(single.query(hashes[i]));
                found -= answers[i] == KeyValueFilter.ABSENT ? 0 : 1;
            }
            assertThat(updated).isZero();
            assertThat(found).isZero();
        }
        assertThat(batched.refused()).isEqualTo(single.refused()).isPositive();
    }

    @Test
    void refusesValuesOutOfRange() {
        KeyValueFilter filter = create(CAPACITY);
        for (int value : new int[] {-1, filter.values()}) {
            assertThatThrownBy(() -> filter.insert(1, value))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("value");
        }
    }

    private static long mix(long i) {
        return MembershipFilterContract.mix(i);
    }
}
