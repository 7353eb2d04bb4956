/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.hash.Hashing;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Different pieces of state, each some bytes, in the order of their 64-bit hashes: what two sides
 * compare without sending it. Immutable.
 */
final class EntrySet implements RootSet {

    /** About what an array takes beside its elements, and a reference. */
    private static final int OVERHEAD_BYTES = 4;

    private final long[] hashes;
    private final byte[][] entries;

    private EntrySet(byte[][] entries) {
        this.entries = entries;
        Arrays.sort(
                entries,
                (one, other) -> {
                    int order = Long.compare(hash(one), hash(other));
                    return order != 0 ? order : Arrays.compare(one, other);
                });
        hashes = new long[entries.length];
        for (int i = 0; i < entries.length; i++) {
            hashes[i] = hash(entries[i]);
        }
    }

    /** Takes entries, all of them different: O(n log n). */
    static EntrySet of(List<byte[]> entries) {
        return new EntrySet(entries.toArray(byte[][]::new));
    }

    static long hash(byte[] entry) {
        return Hashing.hash(entry);
    }

    int size() {
        return hashes.length;
    }

    /** Returns the bytes that all of them take when they are sent. */
    long bytes() {
        long bytes = 0;
        for (byte[] entry : entries) {
            bytes += entry.length + OVERHEAD_BYTES;
        }
        return bytes;
    }

    byte[] entry(int index) {
        return entries[index];
    }

    /** Returns the index of an entry with this hash, negative if there is none: O(log n). */
    int indexOf(long hash) {
        return Arrays.binarySearch(hashes, hash);
    }

    /** Returns what equal sets have in common, and others do not. */
    byte[] digest() {
        MessageDigest digest = Digests.sha256();
        ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES);
        for (long hash : hashes) {
            digest.update(buffer.putLong(0, hash).array());
        }
        return digest.digest();
    }

    /**
     * Returns these entries without some, and with others.
     *
     * @param without hashes
     */
    EntrySet changed(Set<Long> without, List<byte[]> with) {
        List<byte[]> changed = new ArrayList<>(with);
        for (int i = 0; i < entries.length; i++) {
            if (!without.contains(hashes[i])) {
                changed.add(entries[i]);
            }
        }
        return of(changed);
    }

    @Override
    public void forEach(Visitor visitor) {
        for (long hash : hashes) {
            visitor.element(hash, 1);
        }
    }
}
