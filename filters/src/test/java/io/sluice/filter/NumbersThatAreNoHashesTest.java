/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.quotient.QuotientFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Callers that pass ids instead of hashes get the probability that the filter promises: consecutive
 * numbers, numbers in the high bits only, in steps, or negative.
 */
class NumbersThatAreNoHashesTest {

    private static final int KEYS = 20_000;
    private static final int PROBES = 400_000;
    private static final double FPP = 1e-3;

    /** Key i is i * step + offset. */
    private record Pattern(String name, long offset, long step) {
        long key(long i) {
            return offset + i * step;
        }
    }

    private static final List<Pattern> PATTERNS =
            List.of(
                    new Pattern("0, 1, 2, ...", 0, 1),
                    new Pattern("in the high half", 0, 1L << 32),
                    new Pattern("in the highest bits", 0, 1L << 40),
                    new Pattern("in steps of a power of two", 7, 1 << 20),
                    new Pattern("in decimal steps", 1_700_000_000_000L, 1_000),
                    new Pattern("negative", -1, -1),
                    // Multiples of this are what a single multiplication maps to 0, 1, 2, ...
                    new Pattern("chosen", 0, 0xf1de83e19937733dL));

    static Stream<Arguments> filters() {
        List<Arguments> all = new ArrayList<>();
        for (Pattern pattern : PATTERNS) {
            all.add(of("quotient", pattern, NumbersThatAreNoHashesTest::quotient));
            all.add(of("cuckoo", pattern, NumbersThatAreNoHashesTest::cuckoo));
        }
        return all.stream();
    }

    private static Arguments of(String name, Pattern pattern, Supplier<MembershipFilter> filter) {
        return Arguments.of(name, pattern, filter);
    }

    private static MembershipFilter quotient() {
        return QuotientFilter.builder().sized(KEYS, FPP).build();
    }

    private static MembershipFilter cuckoo() {
        return CountingCuckooFilter.create(CuckooShape.sized(KEYS, FPP, 4), Storage.HEAP);
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("filters")
    void areReportedNoMoreOftenThanHashes(
            String name, Pattern pattern, Supplier<MembershipFilter> create) {
        MembershipFilter filter = create.get();
        int refused = 0;
        for (int i = 0; i < KEYS; i++) {
            refused += filter.add(pattern.key(i)) ? 0 : 1;
            assertThat(filter.mightContain(pattern.key(i))).isTrue();
        }
        atMost(refused, KEYS, name);
        int reported = 0;
        for (int i = 1; i <= PROBES; i++) {
            reported += filter.mightContain(pattern.key(KEYS + (long) i * i % 1_000_003)) ? 1 : 0;
        }
        atMost(reported, PROBES, name);
    }

    private static void atMost(int reported, int of, String name) {
        double expected = FPP * of;
        assertThat((double) reported).as(name).isLessThan(expected + 5 * Math.sqrt(expected));
    }

    @Test
    void haveTheValuesThatTheyWereGiven() {
        for (Pattern pattern : PATTERNS) {
            KeyValueBloomFilter filter =
                    KeyValueBloomFilter.builder().values(11).sized(KEYS, 40).build();
            KeyValueBloomFilter ofHashes =
                    KeyValueBloomFilter.builder().values(11).sized(KEYS, 40).build();
            for (int i = 0; i < KEYS; i++) {
                filter.insert(pattern.key(i), i % 11);
                ofHashes.insert(Hashing.hash((long) i), i % 11);
            }
            int[] unknown = new int[2];
            int[] claimed = new int[2];
            for (int i = 0; i < KEYS; i++) {
                int found = filter.query(pattern.key(i));
                assertThat(found).isIn(i % 11, KeyValueFilter.AMBIGUOUS);
                unknown[0] += found < 0 ? 1 : 0;
                unknown[1] += ofHashes.query(Hashing.hash((long) i)) < 0 ? 1 : 0;
                claimed[0] += filter.query(pattern.key(KEYS + i)) == KeyValueFilter.ABSENT ? 0 : 1;
                claimed[1] +=
                        ofHashes.query(Hashing.hash((long) KEYS + i)) == KeyValueFilter.ABSENT
                                ? 0
                                : 1;
            }
            for (int[] counts : new int[][] {unknown, claimed}) {
                // Both are random: the difference has twice the variance.
                assertThat((double) counts[0])
                        .as(pattern.name)
                        .isLessThan(counts[1] + 5 * Math.sqrt(2.0 * counts[1]) + 5);
            }
        }
    }
}
