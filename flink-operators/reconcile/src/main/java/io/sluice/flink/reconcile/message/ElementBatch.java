/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * Elements with their multiplicities, as a repair carries them. An element is its serialized id.
 * Not thread-safe.
 *
 * <pre>
 *   number of elements (varint), and for each: copies (varint), bytes of the id (varint), the id
 * </pre>
 */
@Internal
public final class ElementBatch {

    /** Length of a varint of 64 bits. */
    private static final int MAX_VARINT_BYTES = 10;

    private final List<byte[]> ids = new ArrayList<>();
    private long[] copies = new long[8];
    private int encodedBytes = MAX_VARINT_BYTES;

    public void add(byte[] id, long multiplicity) {
        if (ids.size() == copies.length) {
            copies = Arrays.copyOf(copies, 2 * copies.length);
        }
        copies[ids.size()] = multiplicity;
        ids.add(id);
        encodedBytes += bytesOf(id, multiplicity);
    }

    public int size() {
        return ids.size();
    }

    public byte[] id(int index) {
        return ids.get(index);
    }

    public long copies(int index) {
        return copies[index];
    }

    /** Upper bound of what {@link #write} writes, exact to some bytes. */
    public int encodedBytes() {
        return encodedBytes;
    }

    /** Bytes that an element takes in a batch. */
    public static int bytesOf(byte[] id, long multiplicity) {
        return varintBytes(multiplicity) + varintBytes(id.length) + id.length;
    }

    private static int varintBytes(long value) {
        return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    }

    void write(ByteBuffer to) {
        putVarint(to, ids.size());
        for (int i = 0; i < ids.size(); i++) {
            putVarint(to, copies[i]);
            putVarint(to, ids.get(i).length);
            to.put(ids.get(i));
        }
    }

    /**
     * Reads what {@link #write} wrote, to the end of {@code from}.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static ElementBatch read(ByteBuffer from) {
        ElementBatch batch = new ElementBatch();
        long size = getVarint(from);
        for (long i = 0; i < size; i++) {
            long multiplicity = getVarint(from);
            long length = getVarint(from);
            if (multiplicity < 1 || length < 0 || length > from.remaining()) {
                throw new IllegalArgumentException(
                        "element "
                                + i
                                + " of "
                                + size
                                + " has "
                                + multiplicity
                                + " copies and "
                                + length
                                + " bytes");
            }
            byte[] id = new byte[(int) length];
            from.get(id);
            batch.add(id, multiplicity);
        }
        if (size < 0 || from.hasRemaining()) {
            throw new IllegalArgumentException(
                    from.remaining() + " bytes behind " + size + " elements");
        }
        return batch;
    }

    private static void putVarint(ByteBuffer to, long value) {
        long left = value;
        while ((left & ~0x7fL) != 0) {
            to.put((byte) (left | 0x80));
            left >>>= 7;
        }
        to.put((byte) left);
    }

    private static long getVarint(ByteBuffer from) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (!from.hasRemaining()) {
                throw new IllegalArgumentException("ends inside a number");
            }
            byte next = from.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number of more than 64 bits");
    }
}
