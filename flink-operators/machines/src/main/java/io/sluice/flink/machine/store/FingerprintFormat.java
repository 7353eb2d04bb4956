/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.quotient.QuotientMaplet;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Persistent form of a {@link FingerprintStore}: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND} ("FQ").
 *
 * <pre>
 *   parameters: fingerprints (8), bits of a remainder (1), machines (8), classes (1); of each
 *               class: states (1), ages (2), first millisecond of the slice from which ages are
 *               told apart (8), length of the slice in milliseconds (8)
 *   payload:    the table, see {@link QuotientMaplet#writeTo}; a value is the number of a state in
 *               its class times the ages of the class, plus the slice of last use modulo the ages,
 *               plus the values of the classes before
 * </pre>
 */
final class FingerprintFormat {

    static final int KIND = 'F' << 8 | 'Q';

    /** The first version. */
    static final int VERSION_1 = 1;

    private static final int FIXED_BYTES = 2 * Long.BYTES + 2;
    private static final int CLASS_BYTES = 3 + 2 * Long.BYTES;

    /** Times go no further, so that sums of them do not overflow. */
    private static final long MOST_MILLIS = 2 * StateTimes.MAX_MILLIS;

    private static final long MOST_LENGTH = 1L << 40;

    private FingerprintFormat() {}

    static void write(FingerprintStore store, OutputStream out) throws IOException {
        QuotientMaplet table = store.table();
        int[] states = store.ages().states();
        ByteBuffer parameters =
                ByteBuffer.allocate(FIXED_BYTES + states.length * CLASS_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(table.fingerprints())
                        .put((byte) table.remainderBits())
                        .putLong(table.size())
                        .put((byte) states.length);
        for (int c = 0; c < states.length; c++) {
            long length = store.times().sliceMillis(c);
            parameters
                    .put((byte) states[c])
                    .putShort((short) store.ages().ages(c))
                    .putLong(store.base(c) * length)
                    .putLong(length);
        }
        FilterWriter writer =
                new FilterWriter(out, KIND, VERSION_1, parameters.flip(), table.payloadBytes());
        table.writeTo(writer);
        writer.finish();
    }

    /** What was written: its table, and what the values of it mean. */
    private static final class Written {
        private final QuotientMaplet table;
        private final StateAges ages;
        private final long[] bases;
        private final long[] lengths;

        Written(QuotientMaplet table, StateAges ages, long[] bases, long[] lengths) {
            this.table = table;
            this.ages = ages;
            this.bases = bases;
            this.lengths = lengths;
        }

        /** The last millisecond at which a machine may have been in use. */
        long lastMillis(int value) {
            int c = ages.codeOf(value);
            return (ages.slice(value, bases[c]) + 1) * lengths[c] - 1;
        }
    }

    static FingerprintStore read(
            InputStream in,
            String source,
            FingerprintPlan plan,
            StateTimes times,
            StoreMemory memory,
            int[] states)
            throws IOException {
        Written written = read(new FilterReader(in, source, KIND, VERSION_1), states.length);
        QuotientMaplet table = written.table;
        FingerprintPlan held = new FingerprintPlan(table.fingerprints(), plan.ages());
        FingerprintStore store =
                table.size() == 0
                        ? new FingerprintStore(plan, times, memory)
                        : new FingerprintStore(held, plan, table.remainderBits(), times, memory);
        setBases(written, states, store);
        table.forEach(
                (fingerprint, value) -> {
                    int state = states[written.ages.state(value)];
                    if (state >= 0) {
                        long slice = slice(times, times.codeOf(state), written.lastMillis(value));
                        store.take(fingerprint, state, slice);
                    }
                });
        return store;
    }

    /** Gives all machines to {@code visitor}, and returns how many fingerprints there are. */
    static long forEach(InputStream in, String source, int states, StoredStates.Visitor visitor)
            throws IOException {
        Written written = read(new FilterReader(in, source, KIND, VERSION_1), states);
        written.table.forEach(
                (fingerprint, value) -> visitor.machine(fingerprint, written.ages.state(value)));
        return written.table.fingerprints();
    }

    /** The ages of each class reach to its latest machine. */
    private static void setBases(Written written, int[] states, FingerprintStore store) {
        StateTimes times = store.times();
        int classes = times.classes().count();
        long[] first = new long[classes];
        long[] last = new long[classes];
        Arrays.fill(first, Long.MAX_VALUE);
        Arrays.fill(last, Long.MIN_VALUE);
        written.table.forEach(
                (fingerprint, value) -> {
                    int state = states[written.ages.state(value)];
                    if (state >= 0) {
                        int c = times.codeOf(state);
                        long slice = slice(times, c, written.lastMillis(value));
                        first[c] = Math.min(first[c], slice);
                        last[c] = Math.max(last[c], slice);
                    }
                });
        for (int c = 0; c < classes; c++) {
            if (first[c] <= last[c]) {
                store.base(c, Math.max(first[c], last[c] - store.ages().ages(c) + 1));
            }
        }
    }

    private static long slice(StateTimes times, int ofClass, long millis) {
        return Math.floorDiv(millis, times.sliceMillis(ofClass));
    }

    private static Written read(FilterReader reader, int ofStates) throws IOException {
        ByteBuffer from = reader.parameters();
        if (from.remaining() < FIXED_BYTES) {
            throw reader.corrupt("parameters end too early");
        }
        long fingerprints = from.getLong();
        int remainderBits = from.get();
        long machines = from.getLong();
        int classes = from.get();
        if (classes < 0 || from.remaining() != classes * CLASS_BYTES) {
            throw reader.corrupt("parameters of other than " + classes + " classes");
        }
        int[] states = new int[classes];
        int[] ages = new int[classes];
        long[] bases = new long[classes];
        long[] lengths = new long[classes];
        for (int c = 0; c < classes; c++) {
            states[c] = from.get();
            ages[c] = from.getShort();
            long first = from.getLong();
            lengths[c] = from.getLong();
            if (states[c] < 1
                    || ages[c] < 1
                    || ages[c] > StateAges.MAX_AGES
                    || first < -MOST_MILLIS
                    || first > MOST_MILLIS
                    || lengths[c] < 1
                    || lengths[c] > MOST_LENGTH) {
                throw reader.corrupt("an impossible class of states");
            }
            bases[c] = Math.floorDiv(first, lengths[c]);
        }
        if (fingerprints < FingerprintPlan.LEAST_FINGERPRINTS) {
            throw reader.corrupt("too few fingerprints: " + fingerprints);
        }
        long values = 0;
        for (int c = 0; c < classes; c++) {
            values += (long) states[c] * ages[c];
        }
        if (IntStream.of(states).sum() != ofStates || values > 1 << QuotientMaplet.MAX_VALUE_BITS) {
            throw reader.corrupt("states and ages make " + values + " values");
        }
        StateAges written = new StateAges(states, ages);
        QuotientMaplet table =
                QuotientMaplet.readFrom(
                        reader, fingerprints, remainderBits, written.values(), machines);
        boolean[] isSound = {true};
        long[] before = {-1};
        table.forEach(
                (fingerprint, value) -> {
                    isSound[0] &= fingerprint != before[0] && written.isValue(value);
                    before[0] = fingerprint;
                });
        if (!isSound[0]) {
            throw reader.corrupt("a machine that is there twice, or has no state");
        }
        return new Written(table, written, bases, lengths);
    }
}
