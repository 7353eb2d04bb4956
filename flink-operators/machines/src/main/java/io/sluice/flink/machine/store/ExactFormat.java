/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.hash.HashSpread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of an {@link ExactStore}: an envelope ({@link io.sluice.filter.format}) of kind
 * {@value #KIND} ("FX").
 *
 * <pre>
 *   parameters: slots (4)
 *   payload:    of each machine its hash (8), and the last millisecond at which it may have been in
 *               use times 32 plus its state (8)
 * </pre>
 */
final class ExactFormat {

    static final int KIND = 'F' << 8 | 'X';

    /** Has times in milliseconds; version 1, which had slices, is not read. */
    static final int VERSION_2 = 2;

    private static final int STATE_BITS = 5;
    private static final int ENTRY_BYTES = 2 * Long.BYTES;

    private ExactFormat() {}

    static void write(ExactStore store, OutputStream out) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(store.slots())
                        .flip();
        FilterWriter writer =
                new FilterWriter(out, KIND, VERSION_2, parameters, ENTRY_BYTES * store.machines());
        long[] entry = new long[2];
        store.forEach(
                (hash, state, lastMillis) -> {
                    entry[0] = hash;
                    entry[1] = lastMillis << STATE_BITS | state;
                    writer.words(entry, 0, 2);
                });
        writer.finish();
    }

    /** Takes a machine that was written; false if it is there already. */
    @FunctionalInterface
    interface Taker {
        boolean take(long hash, int state, long lastMillis, int slots);
    }

    static ExactStore read(
            InputStream in, String source, StateTimes times, StoreMemory memory, int[] states)
            throws IOException {
        ExactStore store = new ExactStore(times, memory, HashSpread.secret());
        forEach(
                in,
                source,
                states.length,
                (hash, state, lastMillis, slots) ->
                        states[state] < 0 || store.take(hash, states[state], lastMillis, slots));
        return store;
    }

    /** Gives all machines to {@code taker}. */
    static void forEach(InputStream in, String source, int states, Taker taker) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_2, VERSION_2);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != Integer.BYTES) {
            throw reader.corrupt("impossible parameters of an exact store of machines");
        }
        int slots = from.getInt();
        long entries = reader.payloadLeft() / ENTRY_BYTES;
        if (slots < ExactStore.MIN_SLOTS
                || slots > ExactStore.MAX_SLOTS
                || Integer.bitCount(slots) != 1
                || reader.payloadLeft() != entries * ENTRY_BYTES
                || entries > slots / 8 * 7L) {
            throw reader.corrupt(entries + " machines in " + slots + " slots");
        }
        for (long i = 0; i < entries; i++) {
            long[] entry = reader.words(2);
            int state = (int) entry[1] & ((1 << STATE_BITS) - 1);
            if (state >= states) {
                throw reader.corrupt("a machine in state " + state);
            }
            if (!taker.take(entry[0], state, entry[1] >> STATE_BITS, slots)) {
                throw reader.corrupt("a machine that is there twice");
            }
        }
        reader.finish();
    }
}
