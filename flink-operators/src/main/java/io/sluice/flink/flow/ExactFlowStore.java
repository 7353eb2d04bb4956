/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A store that knows every flow: open addressing with linear probing, 12 bytes a slot, three
 * quarters full at most while memory allows to double it, seven eighths after that. Flows that time
 * out are known one by one. Two flows with equal hashes are one flow.
 *
 * <p>A slot is the hash and a word:
 *
 * <pre>
 *   | state (5 bits, all ones if the slot is free) | low 27 bits of the slice of last use |
 * </pre>
 *
 * <p>Slices are compared by their difference modulo 2^27, so flows must not be further apart than
 * 2^26 slices: two years with slices of a second.
 *
 * <p>Persistent form: an envelope ({@link io.sluice.filter.format}) of kind {@value #KIND} ("FX").
 *
 * <pre>
 *   parameters: slots (4), length of the slices of each class in milliseconds (8 each)
 *   payload:    of each flow its hash (8), and its slice times 32 plus its state (8)
 * </pre>
 *
 * <p>O(1) per operation; {@link #advance} looks at all slots once a slice. Not thread-safe.
 */
public final class ExactFlowStore implements FlowStore {

    static final int KIND = 'F' << 8 | 'X';

    /** The first one. */
    static final int VERSION_1 = 1;

    private static final int PARAMETER_BYTES = Integer.BYTES + IdleClass.COUNT * Long.BYTES;
    private static final int SLICE_BITS = 27;
    private static final int SLICE_MASK = (1 << SLICE_BITS) - 1;
    private static final int STATE_BITS = Integer.SIZE - SLICE_BITS;
    private static final int FREE = -1;
    private static final int LEAST_SLOTS = 16;
    private static final int MOST_SLOTS = 1 << 30;
    private static final int SLOT_BYTES = Long.BYTES + Integer.BYTES;

    private final FlowTimeouts timeouts;
    private final FlowMemory memory;
    private final long[] sliceMillis = new long[IdleClass.COUNT];

    /** The latest slice of use of each class, and the one of the last watermark. */
    private final long[] newest = new long[IdleClass.COUNT];

    private final long[] swept = new long[IdleClass.COUNT];
    private final long[] byState = new long[FlowStates.COUNT];

    private long[] hashes = {};
    private int[] words = {};
    private int flows;

    private long foundHash;
    private long foundMillis;

    /** Negative if the flow is not there. */
    private int foundAt;

    public ExactFlowStore(FlowTimeouts timeouts, FlowMemory memory) {
        this.timeouts = requireNonNull(timeouts, "timeouts");
        this.memory = requireNonNull(memory, "memory");
        for (int c = 0; c < IdleClass.COUNT; c++) {
            sliceMillis[c] = timeouts.sliceMillis(IdleClass.ofCode(c));
            newest[c] = Long.MIN_VALUE;
            swept[c] = Long.MIN_VALUE;
        }
        resize(LEAST_SLOTS);
    }

    @Override
    public int find(long hash, long millis, ExpiryListener expired) {
        foundHash = hash;
        foundMillis = millis;
        int at = slot(hash);
        int word = words[at];
        foundAt = at;
        if (word == FREE) {
            foundAt = -1;
            return ABSENT;
        }
        int c = IdleClass.codeOf(state(word));
        if (difference(slice(c, millis), word) > timeouts.slices()) {
            letGo(at, expired);
            foundAt = -1;
            return ABSENT;
        }
        return state(word);
    }

    @Override
    public Stored put(int state, ExpiryListener expired) {
        int c = IdleClass.codeOf(state);
        long slice = slice(c, foundMillis);
        if (foundAt >= 0) {
            int before = state(words[foundAt]);
            byState[before]--;
            if (IdleClass.codeOf(before) == c && difference(slice, words[foundAt]) < 0) {
                words[foundAt] = state << SLICE_BITS | (words[foundAt] & SLICE_MASK);
                byState[state]++;
                return Stored.YES;
            }
        } else {
            if (!makeRoom(expired)) {
                return Stored.NO_ROOM;
            }
            foundAt = slot(foundHash);
            hashes[foundAt] = foundHash;
            flows++;
        }
        set(foundAt, state, slice);
        return Stored.YES;
    }

    private void set(int at, int state, long slice) {
        int c = IdleClass.codeOf(state);
        newest[c] = Math.max(newest[c], slice);
        words[at] = state << SLICE_BITS | ((int) slice & SLICE_MASK);
        byState[state]++;
    }

    private boolean makeRoom(ExpiryListener expired) {
        if (4L * (flows + 1) <= 3L * words.length) {
            return true;
        }
        long growth = (long) words.length * SLOT_BYTES;
        if (words.length < MOST_SLOTS && memory.hasRoom(growth)) {
            resize(2 * words.length);
            return true;
        }
        if (8L * (flows + 1) <= 7L * words.length) {
            return true;
        }
        if (memory.whenFull() == FlowMemory.WhenFull.EVICT && evict(expired)) {
            return true;
        }
        memory.refuse(growth);
        return false;
    }

    /** Lets go the flows whose slice ended first, unless that would be all. */
    private boolean evict(ExpiryListener expired) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (int word : words) {
            if (word != FREE) {
                first = Math.min(first, endMillis(word));
                last = Math.max(last, endMillis(word));
            }
        }
        if (first == last) {
            return false;
        }
        for (int at = words.length - 1; at >= 0; at--) {
            while (words[at] != FREE && endMillis(words[at]) == first) {
                letGo(at, expired);
            }
        }
        return true;
    }

    @Override
    public void advance(long watermark, ExpiryListener expired) {
        boolean isNewSlice = false;
        for (int c = 0; c < IdleClass.COUNT; c++) {
            long slice = slice(c, watermark);
            isNewSlice |= slice > swept[c];
            swept[c] = Math.max(swept[c], slice);
        }
        if (!isNewSlice) {
            return;
        }
        // Letting go moves later flows back, past the end into the last slots too: those were
        // looked at before, or are looked at again.
        for (int at = words.length - 1; at >= 0; at--) {
            while (words[at] != FREE && hasExpired(words[at])) {
                letGo(at, expired);
            }
        }
        if (words.length > LEAST_SLOTS && 8L * flows < words.length) {
            resize(Math.max(LEAST_SLOTS, Integer.highestOneBit(4 * flows + 1) * 2));
        }
    }

    private boolean hasExpired(int word) {
        int c = IdleClass.codeOf(state(word));
        return swept[c] - wholeSlice(c, word) > timeouts.slices();
    }

    private void letGo(int at, ExpiryListener expired) {
        int word = words[at];
        int state = state(word);
        int c = IdleClass.codeOf(state);
        long over = (wholeSlice(c, word) + timeouts.slices() + 1) * sliceMillis[c];
        long hash = hashes[at];
        remove(at);
        expired.expired(hash, state, over);
    }

    private void remove(int freed) {
        byState[state(words[freed])]--;
        flows--;
        int at = freed;
        int mask = words.length - 1;
        for (int next = (at + 1) & mask; words[next] != FREE; next = (next + 1) & mask) {
            // Moves back what would be looked for from the freed slot or before it.
            if (((next - home(hashes[next])) & mask) >= ((next - at) & mask)) {
                hashes[at] = hashes[next];
                words[at] = words[next];
                at = next;
            }
        }
        words[at] = FREE;
    }

    private void resize(int slots) {
        memory.charge((long) (slots - words.length) * SLOT_BYTES);
        long[] oldHashes = hashes;
        int[] oldWords = words;
        hashes = new long[slots];
        words = new int[slots];
        Arrays.fill(words, FREE);
        for (int i = 0; i < oldWords.length; i++) {
            if (oldWords[i] != FREE) {
                int at = slot(oldHashes[i]);
                hashes[at] = oldHashes[i];
                words[at] = oldWords[i];
            }
        }
    }

    private int home(long hash) {
        return (int) ((hash * 0x9E3779B97F4A7C15L) >>> 32) & (words.length - 1);
    }

    private int slot(long hash) {
        int at = home(hash);
        while (words[at] != FREE && hashes[at] != hash) {
            at = (at + 1) & (words.length - 1);
        }
        return at;
    }

    private static int state(int word) {
        return word >>> SLICE_BITS;
    }

    private long slice(int ofClass, long millis) {
        return Math.floorDiv(millis, sliceMillis[ofClass]);
    }

    /** Slices from the one in {@code word} to {@code slice}, negative if that is earlier. */
    private static int difference(long slice, int word) {
        return ((int) slice - word) << STATE_BITS >> STATE_BITS;
    }

    private long wholeSlice(int ofClass, int word) {
        return newest[ofClass] - difference(newest[ofClass], word);
    }

    private long endMillis(int word) {
        int c = IdleClass.codeOf(state(word));
        return (wholeSlice(c, word) + 1) * sliceMillis[c];
    }

    @Override
    public long flows() {
        return flows;
    }

    @Override
    public long flows(int state) {
        return byState[state];
    }

    @Override
    public long sizeInBytes() {
        return (long) words.length * SLOT_BYTES;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(PARAMETER_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(words.length);
        for (long millis : sliceMillis) {
            parameters.putLong(millis);
        }
        FilterWriter writer =
                new FilterWriter(out, KIND, VERSION_1, parameters.flip(), 2L * Long.BYTES * flows);
        long[] entry = new long[2];
        for (int i = 0; i < words.length; i++) {
            if (words[i] != FREE) {
                int state = state(words[i]);
                entry[0] = hashes[i];
                entry[1] = wholeSlice(IdleClass.codeOf(state), words[i]) << STATE_BITS | state;
                writer.words(entry, 0, 2);
            }
        }
        writer.finish();
    }

    /**
     * Reads what {@link #writeTo} wrote. The timeouts may be others than those that it was written
     * with: no flow times out earlier than by the shorter of both.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static ExactFlowStore readFrom(
            InputStream in, String source, FlowTimeouts timeouts, FlowMemory memory)
            throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_1);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt("impossible parameters of an exact store of flows");
        }
        int slots = from.getInt();
        long entries = reader.payloadLeft() / (2L * Long.BYTES);
        if (slots < LEAST_SLOTS
                || slots > MOST_SLOTS
                || Integer.bitCount(slots) != 1
                || reader.payloadLeft() != entries * 2L * Long.BYTES
                || entries >= slots) {
            throw reader.corrupt(entries + " flows in " + slots + " slots");
        }
        long[] written = new long[IdleClass.COUNT];
        for (int c = 0; c < written.length; c++) {
            written[c] = from.getLong();
            if (written[c] < 1) {
                throw reader.corrupt("slices of " + written[c] + " ms");
            }
        }
        ExactFlowStore store = new ExactFlowStore(timeouts, memory);
        for (long i = 0; i < entries; i++) {
            store.take(reader, reader.words(2), written, slots);
        }
        reader.finish();
        return store;
    }

    private void take(FilterReader reader, long[] entry, long[] written, int slots)
            throws IOException {
        int state = (int) entry[1] & ((1 << STATE_BITS) - 1);
        if (state >= FlowStates.COUNT) {
            throw reader.corrupt("a flow in state " + state);
        }
        // Grows with what really arrives, up to the size that it had.
        if (4L * (flows + 1) > 3L * words.length && words.length < slots) {
            resize(2 * words.length);
        }
        int at = slot(entry[0]);
        if (words[at] != FREE) {
            throw reader.corrupt("a flow that is there twice");
        }
        int c = IdleClass.codeOf(state);
        // The slice that the last of its times is in: no flow becomes older than it is.
        long slice = ((entry[1] >> STATE_BITS) + 1) * written[c] - 1;
        hashes[at] = entry[0];
        flows++;
        set(at, state, slice(c, slice));
    }
}
