/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether a membership state of the cascade state backend holds the same fingerprints in two
 * checkpoints. Fingerprints are compared by the bits that all files of both keep. A key that only
 * one has is missed if the other has a key with the same fingerprint: the probability of this is
 * that of a false positive.
 *
 * @param state its name
 * @param refused why it cannot be compared, with both values; null if it was
 * @param otherOptions options that differ and change nothing of what can be compared
 * @param hashBits bits of each fingerprint that were compared
 * @param both fingerprints that both have
 * @param onlyA those that only the first has
 * @param onlyB those that only the second has
 * @param expiredA those that only the first has, and that have expired by the clock of the second
 * @param expiredB those that only the second has, and that have expired by the clock of the first
 * @param keyGroups those in which something differs
 * @param buckets time buckets of the fingerprints that only one has, oldest first; empty if keys
 *     are kept for ever
 * @param missing key groups that only one has, because subtasks had ended or did not use the state,
 *     or their manifest is damaged: not compared
 */
@Internal
public record FlagsAgreement(
        String state,
        @Nullable String refused,
        List<String> otherOptions,
        int hashBits,
        long both,
        long onlyA,
        long onlyB,
        long expiredA,
        long expiredB,
        List<KeyGroup> keyGroups,
        List<Bucket> buckets,
        List<Integer> missing) {

    public FlagsAgreement {
        otherOptions = List.copyOf(otherOptions);
        missing = List.copyOf(missing);
        keyGroups = List.copyOf(keyGroups);
        buckets = List.copyOf(buckets);
    }

    /** The fingerprints of a key group. */
    public record KeyGroup(int keyGroup, long both, long onlyA, long onlyB) {}

    /**
     * Fingerprints that expire together.
     *
     * @param endMillis when the last of them was marked, at the latest
     */
    public record Bucket(long endMillis, long onlyA, long onlyB) {}

    static FlagsAgreement refused(String state, String why) {
        return new FlagsAgreement(
                state, why, List.of(), 0, 0, 0, 0, 0, 0, List.of(), List.of(), List.of());
    }

    /** Whether it was compared and is equal, but for what has expired on one side. */
    public boolean agrees() {
        return refused == null && keyGroups.isEmpty() && missing.isEmpty();
    }

    /** Adds up key groups, one after the other. Not thread-safe. */
    static final class Sum {
        private final String state;
        private final int hashBits;
        private final Count total = new Count();
        private final List<KeyGroup> differing = new ArrayList<>();
        private final TreeMap<Long, Count> buckets = new TreeMap<>();

        /** Buckets of the present key group. */
        private final TreeMap<Long, Count> bucketsOfGroup = new TreeMap<>();

        private Count group = new Count();

        Sum(String state, int hashBits) {
            this.state = state;
            this.hashBits = hashBits;
        }

        private static final class Count {
            private long both;
            private long a;
            private long b;
            private long expiredA;
            private long expiredB;

            void add(Count other) {
                both += other.both;
                a += other.a;
                b += other.b;
                expiredA += other.expiredA;
                expiredB += other.expiredB;
            }
        }

        void inBoth() {
            group.both++;
        }

        /**
         * @param expired whether it would have expired in the other
         */
        void onlyInA(long bucketEnd, boolean expired) {
            if (expired) {
                group.expiredA++;
            } else {
                group.a++;
                bucket(bucketEnd).a++;
            }
        }

        /** The reverse. */
        void onlyInB(long bucketEnd, boolean expired) {
            if (expired) {
                group.expiredB++;
            } else {
                group.b++;
                bucket(bucketEnd).b++;
            }
        }

        private Count bucket(long end) {
            return bucketsOfGroup.computeIfAbsent(end, key -> new Count());
        }

        /** Forgets what was counted since the end of the last key group. */
        void dropLast() {
            group = new Count();
            bucketsOfGroup.clear();
        }

        /** All fingerprints of a key group were counted. */
        void endOf(int keyGroup) {
            total.add(group);
            bucketsOfGroup.forEach(
                    (end, count) -> buckets.computeIfAbsent(end, key -> new Count()).add(count));
            if (group.a + group.b > 0) {
                differing.add(new KeyGroup(keyGroup, group.both, group.a, group.b));
            }
            dropLast();
        }

        FlagsAgreement result(List<String> otherOptions, List<Integer> missing) {
            buckets.remove(Long.MAX_VALUE);
            return new FlagsAgreement(
                    state,
                    null,
                    otherOptions,
                    hashBits,
                    total.both,
                    total.a,
                    total.b,
                    total.expiredA,
                    total.expiredB,
                    differing,
                    buckets.entrySet().stream()
                            .map(
                                    each ->
                                            new Bucket(
                                                    each.getKey(),
                                                    each.getValue().a,
                                                    each.getValue().b))
                            .toList(),
                    missing);
        }
    }
}
