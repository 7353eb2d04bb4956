/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.rateless.DifferenceSketch;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.inspect.StateConnection.Body;
import io.sluice.inspect.StateConnection.Kind;
import io.sluice.inspect.StateConnection.Message;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;

/**
 * Answers the questions of another side about the state that is here. Holds one key group at a
 * time. Not thread-safe.
 */
final class StateServer {

    /** The most symbols of an answer. */
    static final int MAX_SYMBOLS = 1 << 20;

    /** Where an answer with entries is cut. */
    private static final int ENTRY_BYTES = 8 << 20;

    private final ComparedState state;
    private final long stateBytes;
    private final StateConnection connection;
    private final Map<String, ComparedOperator> operators;
    private final Map<ComparedOperator, Map<String, ComparedFlags>> flags = new HashMap<>();

    /** What questions about entries are about. */
    private EntrySet entries = EntrySet.of(List.of());

    private @Nullable SymbolEncoder encoder;

    /** The membership state whose files may be open. */
    private @Nullable ComparedFlags open;

    /**
     * @param stateBytes of the state as a whole, for the report
     */
    StateServer(ComparedState state, long stateBytes, StateConnection connection)
            throws IOException {
        this.state = state;
        this.stateBytes = stateBytes;
        this.connection = connection;
        this.operators = state.operators();
    }

    /**
     * Answers until the other side has no more questions.
     *
     * @return whether it found that both agree
     * @throws IOException if it has gone, or asks what cannot be asked
     */
    boolean serve() throws IOException {
        try {
            while (true) {
                Message question = question();
                if (question.kind() == Kind.END) {
                    return question.body().readBoolean();
                }
                answer(question);
            }
        } finally {
            if (open != null) {
                open.close();
            }
        }
    }

    private void answer(Message question) throws IOException {
        Kind kind = Kind.ANSWER;
        Body body;
        try {
            body = answerTo(question);
            if (body == null) {
                kind = Kind.SAME;
                body = to -> {};
            }
        } catch (IOException e) {
            // What is wrong with the state here; the other side goes on.
            kind = Kind.PROBLEM;
            body = to -> StateWire.write(e, to);
        }
        connection.send(kind, body);
    }

    /** The other side can say what it lacks to be understood. */
    private Message question() throws IOException {
        try {
            return connection.receive();
        } catch (StateConnection.OtherVersionException e) {
            connection.send(Kind.PROBLEM, to -> StateWire.write(e, to));
            throw e;
        }
    }

    /** Returns the answer, null if all is the same here. */
    @Nullable
    private Body answerTo(Message question) throws IOException {
        DataInputStream from = question.body();
        return switch (question.kind()) {
            case HELLO -> hello();
            case KEY_GROUP -> keyGroup(from);
            case FLAGS -> flags(from);
            case VALUES -> values(from);
            case ENTRIES -> entries(from);
            case SYMBOLS -> symbols(from.readInt());
            case GIVE -> give(from);
            case ALL -> all(from.readInt());
            default -> throw new IOException(question.kind() + " is not a question");
        };
    }

    private Body hello() throws IOException {
        List<Body> parts = new ArrayList<>();
        for (Map.Entry<String, ComparedOperator> operator : operators.entrySet()) {
            ComparedOperator asked = operator.getValue();
            String problem = null;
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try {
                StateWire.writeInts(asked.keyGroups(), new DataOutputStream(bytes));
            } catch (IOException e) {
                problem = Problem.text(e);
            }
            byte[] groups = bytes.toByteArray();
            String why = problem;
            parts.add(
                    to -> {
                        WireText.write(operator.getKey(), to);
                        WireText.write(asked.title(), to);
                        to.writeInt(asked.maxParallelism());
                        to.writeBoolean(why == null);
                        if (why == null) {
                            to.write(groups);
                        } else {
                            WireText.write(why, to);
                        }
                    });
        }
        return to -> {
            WireText.write(state.location(), to);
            to.writeLong(stateBytes);
            to.writeInt(parts.size());
            for (Body part : parts) {
                part.writeTo(to);
            }
        };
    }

    private ComparedOperator operator(DataInputStream from) throws IOException {
        String hash = WireText.read(from);
        ComparedOperator operator = operators.get(hash);
        if (operator == null) {
            throw new IOException("there is no operator " + hash);
        }
        return operator;
    }

    private static int keyGroup(DataInputStream from, Set<Integer> known) throws IOException {
        int keyGroup = from.readInt();
        if (!known.contains(keyGroup)) {
            throw new IOException("there is no key group " + keyGroup);
        }
        return keyGroup;
    }

    /** Flink's own state has any key group; one that only the other side has is empty here. */
    private static int keyGroup(DataInputStream from, ComparedOperator operator)
            throws IOException {
        int keyGroup = from.readInt();
        if (keyGroup < 0 || keyGroup >= operator.maxParallelism()) {
            throw new IOException("there is no key group " + keyGroup);
        }
        return keyGroup;
    }

    @Nullable
    private Body keyGroup(DataInputStream from) throws IOException {
        ComparedOperator operator = operator(from);
        int keyGroup = keyGroup(from, operator.keyGroups());
        byte[] digest = WireText.bytes(from);
        List<Problem> problems = new ArrayList<>();
        ComparedKeyGroup facts = operator.keyGroup(keyGroup, null, problems::add);
        byte[] bytes = facts == null ? null : StateWire.bytes(facts);
        if (bytes != null && Arrays.equals(digest, Digests.of(bytes))) {
            return null;
        }
        return to -> {
            StateWire.writeProblems(problems, to);
            to.writeBoolean(bytes != null);
            if (bytes != null) {
                WireText.write(bytes, to);
            }
        };
    }

    private Body flags(DataInputStream from) throws IOException {
        ComparedOperator operator = operator(from);
        List<Problem> problems = new ArrayList<>();
        Map<String, ComparedFlags> states = flagsOf(operator, problems);
        return to -> {
            StateWire.writeProblems(problems, to);
            to.writeInt(states.size());
            for (ComparedFlags each : states.values()) {
                StateWire.write(each.facts(), to);
            }
        };
    }

    private Map<String, ComparedFlags> flagsOf(ComparedOperator operator, List<Problem> problems)
            throws IOException {
        Map<String, ComparedFlags> known = flags.get(operator);
        if (known == null) {
            known = operator.flags(problems::add);
            flags.put(operator, known);
        }
        return known;
    }

    @Nullable
    private Body values(DataInputStream from) throws IOException {
        ComparedValues values = operator(from).values(WireText.read(from));
        return values == null
                ? null
                : to -> {
                    WireText.write(values.writtenBy(), to);
                    StateWire.writeInts(values.keyGroups(), to);
                };
    }

    /** Turns to other entries. */
    @Nullable
    private Body entries(DataInputStream from) throws IOException {
        ComparedOperator operator = operator(from);
        EntryPart part = EntryPart.read(from);
        encoder = null;
        entries = EntrySet.of(List.of());
        entries = read(operator, part, from);
        byte[] digest = WireText.bytes(from);
        if (Arrays.equals(digest, entries.digest())) {
            return null;
        }
        DifferenceSketch sketch =
                DifferenceSketch.of(entries, entries.size(), ExchangeKey.random());
        ByteBuffer bytes =
                ByteBuffer.allocate(sketch.encodedBytes()).order(ByteOrder.LITTLE_ENDIAN);
        sketch.write(bytes);
        return to -> {
            WireText.write(entries.digest(), to);
            to.writeInt(entries.size());
            to.writeLong(entries.bytes());
            WireText.write(bytes.array(), to);
        };
    }

    private EntrySet read(ComparedOperator operator, EntryPart part, DataInputStream from)
            throws IOException {
        return switch (part.kind()) {
            case TOTALS -> {
                int keyGroup = keyGroup(from, operator);
                yield EntryCodec.NUMBERS.entries(operator.totals(keyGroup, Map.of()));
            }
            case MACHINES -> {
                int keyGroup = keyGroup(from, operator.keyGroups());
                operator.keyGroup(keyGroup, null, problem -> {});
                yield EntryCodec.TEXTS.entries(operator.machines(keyGroup, Map.of()));
            }
            case VALUES -> {
                ComparedValues values = operator.values(part.name());
                if (values == null) {
                    throw new IOException("there is no keyed state " + part.name());
                }
                int keyGroup = keyGroup(from, operator);
                yield EntryCodec.TEXTS.entries(values.of(keyGroup, Map.of()));
            }
            case FLAGS -> flags(operator, part, from.readInt());
        };
    }

    private EntrySet flags(ComparedOperator operator, EntryPart part, int keyGroup)
            throws IOException {
        ComparedFlags asked = flagsOf(operator, new ArrayList<>()).get(part.name());
        if (asked == null) {
            throw new IOException("there is no membership state " + part.name());
        }
        if (open != null && open != asked) {
            open.close();
        }
        open = asked;
        try (FlagsCursor cursor = asked.entries(keyGroup, part.hashBits(), null)) {
            return FlagEntries.read(cursor);
        } catch (IllegalArgumentException e) {
            throw new IOException("there are no such flags: " + e.getMessage(), e);
        }
    }

    private Body symbols(int count) throws IOException {
        if (count < 1 || count > MAX_SYMBOLS) {
            throw new IOException(count + " symbols, of which 1 to " + MAX_SYMBOLS + " are sent");
        }
        if (encoder == null) {
            encoder = new SymbolEncoder(entries, ExchangeKey.random());
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        encoder.next(count).writeTo(bytes);
        return to -> to.write(bytes.toByteArray());
    }

    private Body give(DataInputStream from) throws IOException {
        int count = WireText.count(from, Long.BYTES);
        List<byte[]> given = new ArrayList<>();
        long bytes = 0;
        while (given.size() < count && bytes < ENTRY_BYTES) {
            int index = entries.indexOf(from.readLong());
            if (index < 0) {
                throw new IOException("there is no such entry");
            }
            given.add(entries.entry(index));
            bytes += entries.entry(index).length;
        }
        return to -> writeEntries(given, to);
    }

    private Body all(int first) throws IOException {
        if (first < 0 || first > entries.size()) {
            throw new IOException("there is no entry " + first);
        }
        List<byte[]> given = new ArrayList<>();
        long bytes = 0;
        for (int i = first; i < entries.size() && bytes < ENTRY_BYTES; i++) {
            given.add(entries.entry(i));
            bytes += entries.entry(i).length;
        }
        return to -> writeEntries(given, to);
    }

    private static void writeEntries(List<byte[]> given, DataOutputStream to) throws IOException {
        to.writeInt(given.size());
        for (byte[] entry : given) {
            WireText.write(entry, to);
        }
    }
}
