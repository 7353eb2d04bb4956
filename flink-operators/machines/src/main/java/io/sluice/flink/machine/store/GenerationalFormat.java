/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.machine.store.GenerationalStore.Generation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of a {@link GenerationalStore}: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND} ("FG") without a payload, then as many envelopes of its filters.
 *
 * <pre>
 *   parameters: generations (4); of each: class (1), first millisecond of its slice (8), length of
 *               the slice in milliseconds (8), machines of each state of the class (8 each), which
 *               are negative if more have left than came: filters take a machine for another one
 * </pre>
 */
final class GenerationalFormat {

    static final int KIND = 'F' << 8 | 'G';

    /** The first version. */
    static final int VERSION_1 = 1;

    /** More than any filter holds: sums over states and generations do not overflow. */
    private static final long MAX_MACHINES = 1L << 40;

    private static final int FIXED_BYTES = Byte.BYTES + 2 * Long.BYTES;

    private GenerationalFormat() {}

    static void write(GenerationalStore store, OutputStream out) throws IOException {
        int bytes = Integer.BYTES;
        StateClasses classes = store.times().classes();
        for (int c = 0; c < classes.count(); c++) {
            bytes += store.ofClass(c).size() * (FIXED_BYTES + classes.states(c) * Long.BYTES);
        }
        ByteBuffer parameters = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        parameters.putInt(store.generations());
        for (int c = 0; c < classes.count(); c++) {
            for (Generation each : store.ofClass(c)) {
                long length = store.times().sliceMillis(c);
                parameters.put((byte) c).putLong(each.slice * length).putLong(length);
                for (long machines : each.byState) {
                    parameters.putLong(Math.max(-MAX_MACHINES, Math.min(MAX_MACHINES, machines)));
                }
            }
        }
        new FilterWriter(out, KIND, VERSION_1, parameters.flip(), 0).finish();
        for (int c = 0; c < classes.count(); c++) {
            for (Generation each : store.ofClass(c)) {
                store.factory().write(each.filter, out);
            }
        }
    }

    static void read(InputStream in, String source, GenerationalStore into) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_1);
        ByteBuffer from = reader.parameters();
        reader.finish();
        if (from.remaining() < Integer.BYTES) {
            throw reader.corrupt("impossible number of generations");
        }
        int generations = from.getInt();
        for (int i = 0; i < generations; i++) {
            into.add(generation(in, source, from, reader, into));
        }
        if (generations < 0 || from.hasRemaining()) {
            throw reader.corrupt("parameters of other than " + generations + " generations");
        }
    }

    private static Generation generation(
            InputStream in,
            String source,
            ByteBuffer from,
            FilterReader reader,
            GenerationalStore into)
            throws IOException {
        if (from.remaining() < FIXED_BYTES) {
            throw reader.corrupt("parameters end too early");
        }
        StateClasses classes = into.times().classes();
        int c = from.get();
        long first = from.getLong();
        long length = from.getLong();
        if (c < 0 || c >= classes.count() || length < 1) {
            throw reader.corrupt("a generation of class " + c + " and " + length + " ms");
        }
        if (from.remaining() < classes.states(c) * Long.BYTES) {
            throw reader.corrupt("parameters end too early");
        }
        long[] byState = new long[classes.states(c)];
        for (int i = 0; i < byState.length; i++) {
            byState[i] = from.getLong();
            if (byState[i] < -MAX_MACHINES || byState[i] > MAX_MACHINES) {
                throw reader.corrupt("an impossible count: " + byState[i]);
            }
        }
        // The slice of the last of its times: no machine becomes older than it is.
        Generation generation =
                new Generation(
                        classes,
                        c,
                        into.slice(c, first + length - 1),
                        into.factory().read(c, in, source));
        for (int i = 0; i < byState.length; i++) {
            generation.byState[i] = byState[i];
            generation.machines += byState[i];
        }
        generation.peak = generation.machines;
        return generation;
    }
}
