/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.DifferenceSketch;
import io.sluice.filter.rateless.SymbolDecoder;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.filter.rateless.UnequalElement;
import io.sluice.inspect.StateConnection.Kind;
import io.sluice.inspect.StateConnection.Message;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Finds out which entries the other side has, by what it sends of them: nothing if they are the
 * same; coded symbols, and the entries that are only there, if few differ; else all of them.
 * Stateless.
 */
final class RemoteEntries {

    /** Enough for a few differences. */
    private static final int LEAST_SYMBOLS = 24;

    /** Few differences take about 1.7 symbols each, many 1.35. */
    private static final double SYMBOLS_PER_DIFFERENCE = 1.5;

    private static final double SYMBOL_BYTES = 14;

    /** How much more is asked for than the estimate says, in standard errors. */
    private static final double MARGIN = 1.65;

    /** Hashes of a question for entries. */
    private static final int ASKED_AT_ONCE = 1 << 16;

    private RemoteEntries() {}

    /**
     * Returns the entries of a part of a key group on the other side.
     *
     * @param own those of this side
     */
    static EntrySet fetch(
            StateConnection connection, String operator, EntryPart part, int keyGroup, EntrySet own)
            throws IOException {
        Message answer =
                connection.ask(
                        Kind.ENTRIES,
                        to -> {
                            WireText.write(operator, to);
                            part.write(to);
                            to.writeInt(keyGroup);
                            WireText.write(own.digest(), to);
                        });
        if (answer.kind() == Kind.SAME) {
            return own;
        }
        DataInputStream from = answer.body();
        byte[] digest = WireText.bytes(from);
        int size = from.readInt();
        long bytes = from.readLong();
        if (size < 0 || bytes < size) {
            throw new IOException(size + " entries of " + bytes + " bytes cannot be");
        }
        DifferenceSketch sketch = sketch(WireText.bytes(from));
        EntrySet theirs = bySymbols(connection, own, sketch, size, bytes);
        if (theirs == null || !Arrays.equals(theirs.digest(), digest)) {
            theirs = all(connection, size);
        }
        if (!Arrays.equals(theirs.digest(), digest)) {
            throw new IOException("the other side sent other entries than it says it has");
        }
        return theirs;
    }

    private static DifferenceSketch sketch(byte[] bytes) throws IOException {
        try {
            return DifferenceSketch.read(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        } catch (IllegalArgumentException e) {
            throw new IOException("the other side sent " + e.getMessage(), e);
        }
    }

    /** Returns null if all of the entries are to be sent. */
    @Nullable
    private static EntrySet bySymbols(
            StateConnection connection, EntrySet own, DifferenceSketch sketch, int size, long bytes)
            throws IOException {
        double differing = sketch.differing(own) * (1 + MARGIN * sketch.relativeError());
        double entryBytes = (double) bytes / Math.max(1, size);
        SymbolDecoder decoder = null;
        int asked = 0;
        long count = (long) Math.ceil(LEAST_SYMBOLS + SYMBOLS_PER_DIFFERENCE * differing);
        while (count <= StateServer.MAX_SYMBOLS
                && SYMBOL_BYTES * (asked + count) + differing * entryBytes < bytes) {
            int next = (int) count;
            CodedSymbols symbols =
                    CodedSymbols.readFrom(
                            connection.ask(Kind.SYMBOLS, to -> to.writeInt(next)).body(),
                            "the other side's symbols");
            if (decoder == null) {
                decoder = new SymbolDecoder(own, symbols.key(), SymbolEncoder.MAX_SYMBOLS);
            }
            Outcome outcome = decoder.accept(symbols);
            if (outcome == Outcome.DECODED) {
                return rebuilt(connection, own, decoder.difference());
            }
            if (outcome != Outcome.MORE) {
                return null;
            }
            asked += next;
            count = Math.max(LEAST_SYMBOLS, asked / 2);
        }
        return null;
    }

    @Nullable
    private static EntrySet rebuilt(
            StateConnection connection, EntrySet own, List<UnequalElement> difference)
            throws IOException {
        Set<Long> onlyHere = new HashSet<>();
        List<Long> onlyThere = new ArrayList<>();
        for (UnequalElement element : difference) {
            if (element.own() == 1 && element.atPeer() == 0) {
                onlyHere.add(element.hash());
            } else if (element.own() == 0 && element.atPeer() == 1) {
                onlyThere.add(element.hash());
            } else {
                return null;
            }
        }
        List<byte[]> given = new ArrayList<>();
        while (given.size() < onlyThere.size()) {
            List<Long> wanted =
                    onlyThere.subList(
                            given.size(), Math.min(onlyThere.size(), given.size() + ASKED_AT_ONCE));
            List<byte[]> some =
                    entries(
                            connection.ask(
                                    Kind.GIVE,
                                    to -> {
                                        to.writeInt(wanted.size());
                                        for (long hash : wanted) {
                                            to.writeLong(hash);
                                        }
                                    }),
                            wanted.size());
            for (int i = 0; i < some.size(); i++) {
                if (EntrySet.hash(some.get(i)) != wanted.get(i)) {
                    throw new IOException("the other side sent an entry that was not asked for");
                }
            }
            given.addAll(some);
        }
        return own.changed(onlyHere, given);
    }

    private static EntrySet all(StateConnection connection, int size) throws IOException {
        List<byte[]> entries = new ArrayList<>();
        while (entries.size() < size) {
            int first = entries.size();
            entries.addAll(
                    entries(connection.ask(Kind.ALL, to -> to.writeInt(first)), size - first));
        }
        return EntrySet.of(entries);
    }

    private static List<byte[]> entries(Message answer, int most) throws IOException {
        DataInputStream from = answer.body();
        int count = WireText.count(from, Integer.BYTES);
        if (count < 1 || count > most) {
            throw new IOException(
                    "the other side sent " + count + " entries, where 1 to " + most + " are left");
        }
        List<byte[]> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(WireText.bytes(from));
        }
        return entries;
    }
}
