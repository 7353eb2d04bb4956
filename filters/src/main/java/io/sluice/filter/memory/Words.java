/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * A fixed array of 64-bit words, all zero at first, on the heap or off it. The only class that
 * knows which, so that both cost their users only a branch that is always predicted.
 *
 * <p>Word 0 begins a cache line, on the heap too: arrays of more than half a region of the
 * collector begin at a multiple of 64 bytes plus a header of 16, and are padded accordingly.
 *
 * <p>Indices are not checked beyond what Java checks itself. Not thread-safe.
 */
@Internal
public final class Words {

    /** Words of a cache line. */
    public static final int PER_LINE = 8;

    private static final int LINE_BYTES = PER_LINE * Long.BYTES;

    /** Unused words at the beginning of a heap array, see above. */
    private static final int PADDING = 6;

    private static final long MAX_HEAP_WORDS = Integer.MAX_VALUE - 8 - PADDING;

    /** Direct buffers hold less than 2 GiB each: chunks of 1 GiB. */
    private static final int CHUNK_SHIFT = 27;

    private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

    /** Words that are read before more memory is taken for a claimed length. */
    private static final int FIRST_WORDS = 1 << 13;

    private static final int COPY_WORDS = 1 << 11;

    /** Of released words: whatever asks for one fails. */
    private static final LongBuffer[] NONE = {};

    private final long length;

    /** Null off the heap. */
    private final long[] heap;

    /** Null on the heap. */
    private LongBuffer[] chunks;

    /**
     * The chunk, if there is only one: compiled code reads a field once where it would read an
     * array element again and again.
     */
    private LongBuffer only;

    /** The owner of the chunks, kept so that they live as long as this; null on the heap. */
    private final IntFunction<ByteBuffer> owner;

    private Words(long length, long[] heap, LongBuffer[] chunks, IntFunction<ByteBuffer> owner) {
        this.length = length;
        this.heap = heap;
        this.chunks = chunks;
        this.only = chunks != null && chunks.length == 1 ? chunks[0] : null;
        this.owner = owner;
    }

    /**
     * {@code length} words of zero.
     *
     * @throws IllegalArgumentException if {@code length} is negative, or more than a Java array
     *     holds on the heap
     */
    public static Words allocate(Storage storage, long length) {
        if (length < 0) {
            throw new IllegalArgumentException("length must not be negative, got " + length);
        }
        if (storage == Storage.HEAP) {
            if (length > MAX_HEAP_WORDS) {
                throw new IllegalArgumentException(
                        "the heap holds at most "
                                + MAX_HEAP_WORDS
                                + " words in one structure, got "
                                + length
                                + ": use Storage.OFF_HEAP, or several structures");
            }
            return new Words(length, new long[PADDING + (int) length], null, null);
        }
        DirectMemory memory = new DirectMemory();
        try {
            return new Words(length, null, chunks(memory, length), memory);
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    /**
     * {@code length} words of zero off the heap, in memory that is accounted for elsewhere.
     *
     * @param memory gives buffers of that many bytes, with any content; kept as long as they are
     *     used, and closed by {@link #release} if it is {@link AutoCloseable}. It is also closed if
     *     it fails to give one of several: nothing else knows the ones that it gave
     */
    public static Words allocate(IntFunction<ByteBuffer> memory, long length) {
        if (length < 0) {
            throw new IllegalArgumentException("length must not be negative, got " + length);
        }
        try {
            Words words = new Words(length, null, chunks(memory, length), memory);
            words.clear();
            return words;
        } catch (RuntimeException | Error e) {
            closeAfter(e, memory);
            throw e;
        }
    }

    private static void closeAfter(Throwable failure, IntFunction<ByteBuffer> memory) {
        if (memory instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
    }

    private static LongBuffer[] chunks(IntFunction<ByteBuffer> memory, long length) {
        LongBuffer[] chunks = new LongBuffer[chunkCount(length)];
        for (int i = 0; i < chunks.length; i++) {
            long left = length - ((long) i << CHUNK_SHIFT);
            int bytes = Math.toIntExact(Math.min(left, 1L << CHUNK_SHIFT) * Long.BYTES);
            // An aligned slice is cut to whole lines at both ends.
            int wholeLines = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
            chunks[i] =
                    memory.apply(wholeLines + LINE_BYTES)
                            .alignedSlice(LINE_BYTES)
                            .order(ByteOrder.nativeOrder())
                            .asLongBuffer();
        }
        return chunks;
    }

    private static int chunkCount(long length) {
        return Math.toIntExact((length + CHUNK_MASK) >>> CHUNK_SHIFT);
    }

    /** A copy of the first {@code length} words of an array, on the heap. */
    public static Words of(long[] words, int length) {
        Words copy = allocate(Storage.HEAP, length);
        System.arraycopy(words, 0, copy.heap, PADDING, length);
        return copy;
    }

    public long get(long index) {
        if (heap != null) {
            return heap[PADDING + (int) index];
        }
        return only != null
                ? only.get((int) index)
                : chunks[(int) (index >>> CHUNK_SHIFT)].get((int) index & CHUNK_MASK);
    }

    public void set(long index, long word) {
        if (heap != null) {
            heap[PADDING + (int) index] = word;
        } else if (only != null) {
            only.put((int) index, word);
        } else {
            chunks[(int) (index >>> CHUNK_SHIFT)].put((int) index & CHUNK_MASK, word);
        }
    }

    /**
     * Shifts the bits of words {@code from} to {@code to} up, as if they were one number with its
     * low bits first; bits beyond the last word are lost.
     *
     * @param bits from 1 to 63
     * @param carry what comes in from below, less than 2^bits
     */
    public void shiftUp(long from, long to, int bits, long carry) {
        int down = Long.SIZE - bits;
        long in = carry;
        if (heap != null) {
            int end = PADDING + (int) to;
            for (int i = PADDING + (int) from; i <= end; i++) {
                long word = heap[i];
                heap[i] = word << bits | in;
                in = word >>> down;
            }
            return;
        }
        for (long done = from; done <= to; ) {
            LongBuffer words = chunks[(int) (done >>> CHUNK_SHIFT)];
            int first = (int) done & CHUNK_MASK;
            int end = (int) Math.min(CHUNK_MASK, first + to - done);
            for (int i = first; i <= end; i++) {
                long word = words.get(i);
                words.put(i, word << bits | in);
                in = word >>> down;
            }
            done += end - first + 1;
        }
    }

    /** Number of words. */
    public long length() {
        return length;
    }

    public Storage storage() {
        return heap != null ? Storage.HEAP : Storage.OFF_HEAP;
    }

    /** Bytes occupied, padding included. */
    public long sizeInBytes() {
        return heap != null
                ? (long) heap.length * Long.BYTES
                : length * Long.BYTES + 2L * chunks.length * LINE_BYTES;
    }

    /**
     * Frees memory off the heap: gives it back to its source, or to the JVM. Memory on the heap,
     * and what its source cannot take back, is left to the collector. This must not be used
     * afterwards, by any thread; what the releasing thread reads or writes then fails, off the
     * heap, with an {@link IndexOutOfBoundsException}.
     */
    public void release() {
        if (heap == null) {
            // Reads and writes from now on fail rather than touch memory of another user.
            chunks = NONE;
            only = null;
        }
        if (owner instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                throw new IllegalStateException("memory could not be given back", e);
            }
        }
    }

    /** Sets every word to zero. */
    public void clear() {
        if (heap != null) {
            Arrays.fill(heap, 0);
        } else {
            long[] zeros = new long[COPY_WORDS];
            for (int i = 0; i < chunkCount(length); i++) {
                LongBuffer chunk = chunks[i];
                for (int done = 0; done < chunk.capacity(); done += COPY_WORDS) {
                    chunk.put(done, zeros, 0, Math.min(COPY_WORDS, chunk.capacity() - done));
                }
            }
        }
    }

    /** Another array of the same storage, length and content. */
    public Words copy() {
        if (heap != null) {
            return new Words(length, heap.clone(), null, null);
        }
        Words copy = allocate(Storage.OFF_HEAP, length);
        try {
            for (int i = 0; i < chunkCount(length); i++) {
                int inChunk = (int) Math.min(length - ((long) i << CHUNK_SHIFT), 1L << CHUNK_SHIFT);
                copy.chunks[i].put(0, chunks[i], 0, inChunk);
            }
        } catch (RuntimeException e) {
            copy.release();
            throw e;
        }
        return copy;
    }

    /** Writes all words as payload. */
    public void writeTo(FilterWriter writer) throws IOException {
        if (heap != null) {
            writer.words(heap, PADDING, (int) length);
            return;
        }
        long[] buffer = new long[(int) Math.min(length, COPY_WORDS)];
        for (long done = 0; done < length; done += buffer.length) {
            int n = (int) Math.min(buffer.length, length - done);
            for (int i = 0; i < n; i++) {
                buffer[i] = get(done + i);
            }
            writer.words(buffer, 0, n);
        }
    }

    /**
     * Reads {@code length} words of payload. Memory grows with the bytes that arrive, not with the
     * claim.
     *
     * @throws io.sluice.filter.format.CorruptFilterException if the payload is shorter, or longer
     *     than this storage holds
     */
    public static Words readFrom(FilterReader reader, Storage storage, long length)
            throws IOException {
        if (length < 0 || length > reader.payloadLeft() / Long.BYTES) {
            throw reader.corrupt(
                    "needs "
                            + length
                            + " words of payload, there are "
                            + reader.payloadLeft() / Long.BYTES);
        }
        if (storage == Storage.HEAP) {
            if (length > MAX_HEAP_WORDS) {
                throw reader.corrupt(
                        "needs " + length + " words, the heap holds at most " + MAX_HEAP_WORDS);
            }
            return new Words(length, reader.words((int) length, PADDING), null, null);
        }
        Words words = allocate(storage, Math.min(length, FIRST_WORDS));
        try {
            for (long done = 0; done < length; ) {
                if (done == words.length) {
                    words = words.grown(Math.min(length, 8 * words.length));
                }
                long[] piece = reader.words((int) Math.min(COPY_WORDS, words.length - done));
                for (long word : piece) {
                    words.set(done++, word);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            words.release();
            throw e;
        }
        return words;
    }

    /** These words and more after them, of zero; these are released. */
    private Words grown(long newLength) {
        Words larger = allocate(storage(), newLength);
        for (long i = 0; i < length; i++) {
            larger.set(i, get(i));
        }
        release();
        return larger;
    }
}
