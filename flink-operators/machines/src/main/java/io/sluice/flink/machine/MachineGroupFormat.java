/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.machine.store.StateClasses;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.runtime.KeyGroupedState;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Persistent form of the machines of a key group: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND} ("MG"), then the store.
 *
 * <pre>
 *   parameters: classes (1); of each its number of states (1); of each held state, by number, the
 *               length of its name (2) and the name in UTF-8
 *   payload:    the numbers of {@link MachineCounts}, 8 bytes each
 * </pre>
 *
 * <p>States are known by name: a machine that is defined anew takes over the machines of another
 * one, whatever numbers its states have.
 */
record MachineGroupFormat(
        MachineDefinition machine,
        Map<String, String> renamed,
        StoreSettings.Stores stores,
        MachineGroup.Over timedOut)
        implements KeyGroupedState.Handler<MachineGroup> {

    static final int KIND = 'M' << 8 | 'G';

    /** The first version. */
    static final int VERSION_1 = 1;

    /** Written counts go no further, so that sums of them do not overflow. */
    private static final long MOST = 1L << 56;

    @Override
    public MachineGroup create() {
        return new MachineGroup(machine, stores.create(), new MachineCounts(), timedOut);
    }

    @Override
    public void write(MachineGroup group, OutputStream out) throws IOException {
        ByteBuffer parameters = ByteBuffer.wrap(names()).order(ByteOrder.LITTLE_ENDIAN);
        FilterWriter writer =
                new FilterWriter(
                        out,
                        KIND,
                        VERSION_1,
                        parameters,
                        (long) MachineCounts.NUMBERS * Long.BYTES);
        long[] numbers = group.counts().numbers().clone();
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Math.max(-MOST, Math.min(MOST, numbers[i]));
        }
        writer.words(numbers, 0, numbers.length);
        writer.finish();
        group.store().writeTo(out);
    }

    private byte[] names() throws IOException {
        StateClasses classes = machine.classes();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(classes.count());
        for (int c = 0; c < classes.count(); c++) {
            out.writeByte(classes.states(c));
        }
        for (String name : machine.states().subList(0, classes.states())) {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            out.writeShort(Short.reverseBytes((short) text.length));
            out.write(text);
        }
        return bytes.toByteArray();
    }

    @Override
    public MachineGroup read(InputStream in, String source) throws IOException {
        FilterReader reader = open(in, source);
        int[] states = states(reader, source);
        if (reader.payloadLeft() != (long) MachineCounts.NUMBERS * Long.BYTES) {
            throw reader.corrupt("counts of " + reader.payloadLeft() + " bytes");
        }
        long[] numbers = reader.words(MachineCounts.NUMBERS);
        reader.finish();
        for (long number : numbers) {
            if (number < -MOST || number > MOST) {
                throw reader.corrupt("an impossible count: " + number);
            }
        }
        StateStore store = stores.read(in, source, states);
        return new MachineGroup(machine, store, new MachineCounts(numbers), timedOut);
    }

    static FilterReader open(InputStream in, String source) throws IOException {
        return new FilterReader(in, source, KIND, VERSION_1);
    }

    /**
     * The states that were written.
     *
     * @param sizes of their classes
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record StoredNames(int[] sizes, List<String> names) {

        static StoredNames of(FilterReader reader) throws IOException {
            ByteBuffer from = reader.parameters().order(ByteOrder.LITTLE_ENDIAN);
            requireBytes(from, 1, reader);
            int[] sizes = new int[from.get() & 0xff];
            requireBytes(from, sizes.length, reader);
            for (int c = 0; c < sizes.length; c++) {
                sizes[c] = from.get() & 0xff;
            }
            List<String> names = new ArrayList<>();
            for (int state = 0; state < IntStream.of(sizes).sum(); state++) {
                requireBytes(from, Short.BYTES, reader);
                names.add(reader.text(from.getShort() & 0xffff));
            }
            if (from.hasRemaining()) {
                throw reader.corrupt("parameters of other than " + names.size() + " states");
            }
            return new StoredNames(sizes, names);
        }

        private static void requireBytes(ByteBuffer from, int bytes, FilterReader reader)
                throws IOException {
            if (from.remaining() < bytes) {
                throw reader.corrupt("parameters end too early");
            }
        }
    }

    /** Returns the present number of each state that was written, negative if it is not held. */
    private int[] states(FilterReader reader, String source) throws IOException {
        StoredNames stored = StoredNames.of(reader);
        int[] states = stored.names.stream().mapToInt(name -> number(name, source)).toArray();
        if (stores.settings().kind() == StoreKind.KBF) {
            requireSame(stored.sizes, states, stored.names, source);
        }
        return states;
    }

    private int number(String name, String source) {
        int state = machine.state(renamed.getOrDefault(name, name));
        if (state == MachineDefinition.ILLEGAL) {
            throw new IllegalStateException(
                    source
                            + ": machines may be in state '"
                            + name
                            + "', which machine '"
                            + machine.name()
                            + "' does not have any more: declare it again, or name its successor"
                            + " with renamed(\""
                            + name
                            + "\", ...).");
        }
        return machine.isHeld(state) ? state : MachineDefinition.ILLEGAL;
    }

    /** Filters hold numbers that cannot be changed. */
    private void requireSame(int[] sizes, int[] states, List<String> names, String source) {
        StateClasses classes = machine.classes();
        int[] now = IntStream.range(0, classes.count()).map(classes::states).toArray();
        int[] same = IntStream.range(0, classes.states()).toArray();
        if (!Arrays.equals(sizes, now) || !Arrays.equals(states, same)) {
            throw new IllegalStateException(
                    source
                            + ": its filters hold the states "
                            + names
                            + ", but the machine now holds "
                            + machine.states().subList(0, classes.states())
                            + ": filters cannot change their states, so declare the former ones in"
                            + " their order, or give the operator a new uid and start it without"
                            + " this state.");
        }
    }
}
