/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;

/** An exact sorted multiset of fingerprints: what a quotient filter must be equal to. */
final class FingerprintModel {

    private final TreeMap<Long, Integer> copies = new TreeMap<>();
    private int size;

    int size() {
        return size;
    }

    boolean contains(long fingerprint) {
        return copies.containsKey(fingerprint);
    }

    int count(long fingerprint) {
        return copies.getOrDefault(fingerprint, 0);
    }

    void insert(long fingerprint) {
        copies.merge(fingerprint, 1, Integer::sum);
        size++;
    }

    boolean remove(long fingerprint) {
        Integer held = copies.get(fingerprint);
        if (held == null) {
            return false;
        }
        if (held == 1) {
            copies.remove(fingerprint);
        } else {
            copies.put(fingerprint, held - 1);
        }
        size--;
        return true;
    }

    /** A held fingerprint at or above the given one, or the least; the model must not be empty. */
    long heldNear(long fingerprint) {
        Long key = copies.ceilingKey(fingerprint);
        return key != null ? key : copies.firstKey();
    }

    /** All of them, ascending, with their copies. */
    long[] ascending() {
        long[] all = new long[size];
        int at = 0;
        for (Map.Entry<Long, Integer> entry : copies.entrySet()) {
            for (int i = 0; i < entry.getValue(); i++) {
                all[at++] = entry.getKey();
            }
        }
        return all;
    }

    /** Each once, ascending. */
    long[] distinct() {
        return copies.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    /** Checks every bit of the filter, every answer about what is held, and the order. */
    void mustEqual(QuotientFilter filter) {
        filter.checkInvariants();
        assertThat(filter.size()).isEqualTo(size);
        assertThat(read(filter.cursor(), 7)).isEqualTo(ascending());
        for (long fingerprint : copies.keySet()) {
            assertThat(filter.containsFingerprint(fingerprint)).isTrue();
        }
    }

    /** Reads a cursor to its end in batches of some length. */
    static long[] read(FingerprintCursor cursor, int batch) {
        LongStream.Builder all = LongStream.builder();
        long[] some = new long[batch];
        for (int n = cursor.next(some); n > 0; n = cursor.next(some)) {
            Arrays.stream(some, 0, n).forEach(all);
        }
        return all.build().toArray();
    }
}
