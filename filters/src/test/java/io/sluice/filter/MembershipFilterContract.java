/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every {@link MembershipFilter} promises; a subclass only says how to make one. */
public abstract class MembershipFilterContract {

    protected static final int CAPACITY = 5_000;

    /** An empty filter for {@code capacity} hashes with at most this fpp at capacity. */
    protected abstract MembershipFilter create(int capacity);

    /** The greatest probability of a false positive of {@link #create} when full. */
    protected abstract double fpp();

    @Test
    void anEmptyFilterHoldsNothing() {
        MembershipFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 10_000; i++) {
            assertThat(filter.mightContain(random.nextLong())).isFalse();
        }
    }

    @Test
    void neverDeniesWhatItHolds() {
        MembershipFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        long[] added = random.longs(CAPACITY).toArray();
        for (int i = 0; i < added.length; i++) {
            filter.add(added[i]);
            for (int j = Math.max(0, i - 20); j <= i; j++) {
                assertThat(filter.mightContain(added[j])).as("hash %d of %d", j, i).isTrue();
            }
        }
        for (long hash : added) {
            assertThat(filter.mightContain(hash)).isTrue();
        }
    }

    @Test
    void addSaysTrueExactlyIfTheHashWasCertainlyAbsent() {
        MembershipFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        Set<Long> held = new HashSet<>();
        for (int i = 0; i < 3 * CAPACITY && held.size() < CAPACITY; i++) {
            // Every other one is likely to be there already.
            long hash = i % 2 == 0 ? random.nextLong() : mix(random.nextInt(CAPACITY));
            boolean reported = filter.mightContain(hash);
            assertThat(filter.add(hash)).isEqualTo(!reported);
            if (held.contains(hash)) {
                assertThat(reported).isTrue();
            }
            held.add(hash);
        }
    }

    @Test
    void addsExtremeHashes() {
        MembershipFilter filter = create(CAPACITY);
        long[] hashes = {
            0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE, 0xffffffffL, 0xffffffff00000000L
        };
        for (long hash : hashes) {
            boolean reported = filter.mightContain(hash);
            assertThat(filter.add(hash)).isEqualTo(!reported);
            assertThat(filter.mightContain(hash)).isTrue();
            assertThat(filter.add(hash)).isFalse();
        }
    }

    /** Within five standard errors, at capacity. */
    @Test
    void reportsAbsentHashesSeldom() {
        MembershipFilter filter = create(CAPACITY);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < CAPACITY; i++) {
            filter.add(random.nextLong());
        }
        int probes = 200_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
            if (filter.mightContain(random.nextLong())) {
                positives++;
            }
        }
        double expected = fpp() * probes;
        assertThat((double) positives).isLessThan(expected + 5 * Math.sqrt(expected) + 1);
    }

    @Test
    void hasASize() {
        assertThat(create(CAPACITY).sizeInBytes()).isPositive();
    }

    /** A uniform hash for a small number. */
    protected static long mix(long i) {
        long z = (i + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
