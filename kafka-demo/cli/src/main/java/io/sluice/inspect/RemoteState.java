/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.inspect.StateConnection.Kind;
import io.sluice.inspect.StateConnection.Message;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * The state of a checkpoint that another side serves: asks for digests first, and for what differs.
 * Not thread-safe.
 */
final class RemoteState implements ComparedState {

    private final StateConnection connection;
    private final String location;
    private final long bytes;
    private final Map<String, ComparedOperator> operators = new LinkedHashMap<>();

    /**
     * Asks what there is.
     *
     * @param address for the report
     */
    RemoteState(StateConnection connection, String address) throws IOException {
        this.connection = connection;
        DataInputStream from = connection.ask(Kind.HELLO, to -> {}).body();
        location = WireText.read(from) + " at " + address;
        bytes = from.readLong();
        for (int left = WireText.count(from, 1); left > 0; left--) {
            String hash = WireText.read(from);
            operators.put(hash, new Operator(hash, from));
        }
    }

    /** Returns the bytes of the state there, as Flink counts them. */
    long bytes() {
        return bytes;
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    public Map<String, ComparedOperator> operators() {
        return operators;
    }

    private final class Operator implements ComparedOperator {
        private final String hash;
        private final String title;
        private final int maxParallelism;
        private @Nullable NavigableSet<Integer> keyGroups;
        private @Nullable String problem;

        Operator(String hash, DataInputStream from) throws IOException {
            this.hash = hash;
            title = WireText.read(from);
            maxParallelism = from.readInt();
            if (from.readBoolean()) {
                keyGroups = StateWire.readInts(from);
            } else {
                problem = WireText.read(from);
            }
        }

        @Override
        public String title() {
            return title;
        }

        @Override
        public int maxParallelism() {
            return maxParallelism;
        }

        @Override
        public Set<Integer> keyGroups() throws IOException {
            if (keyGroups == null) {
                throw new IOException(problem);
            }
            return keyGroups;
        }

        @Override
        @Nullable
        public ComparedKeyGroup keyGroup(
                int keyGroup, @Nullable ComparedKeyGroup ofOther, Consumer<Problem> problems)
                throws IOException {
            byte[] own = ofOther == null ? new byte[0] : StateWire.bytes(ofOther);
            Message answer =
                    connection.ask(
                            Kind.KEY_GROUP,
                            to -> {
                                WireText.write(hash, to);
                                to.writeInt(keyGroup);
                                WireText.write(Digests.of(own), to);
                            });
            if (answer.kind() == Kind.SAME) {
                return ofOther;
            }
            DataInputStream from = answer.body();
            StateWire.readProblems(from).forEach(problems);
            return from.readBoolean() ? StateWire.facts(WireText.bytes(from)) : null;
        }

        @Override
        public Map<String, String> machines(int keyGroup, Map<String, String> ofOther)
                throws IOException {
            return fetch(EntryPart.MACHINES, keyGroup, ofOther, EntryCodec.TEXTS);
        }

        @Override
        public Map<String, Long> totals(int keyGroup, Map<String, Long> ofOther)
                throws IOException {
            return fetch(EntryPart.TOTALS, keyGroup, ofOther, EntryCodec.NUMBERS);
        }

        private <V> Map<String, V> fetch(
                EntryPart part, int keyGroup, Map<String, V> ofOther, EntryCodec<V> codec)
                throws IOException {
            EntrySet own = codec.entries(ofOther);
            EntrySet there = RemoteEntries.fetch(connection, hash, part, keyGroup, own);
            return there == own ? ofOther : codec.values(there);
        }

        @Override
        public Map<String, ComparedFlags> flags(Consumer<Problem> problems) throws IOException {
            DataInputStream from =
                    connection.ask(Kind.FLAGS, to -> WireText.write(hash, to)).body();
            StateWire.readProblems(from).forEach(problems);
            Map<String, ComparedFlags> states = new TreeMap<>();
            for (int left = WireText.count(from, 1); left > 0; left--) {
                FlagsFacts facts = StateWire.flags(from);
                states.put(facts.name(), new Flags(facts));
            }
            return states;
        }

        @Override
        @Nullable
        public ComparedValues values(String state) throws IOException {
            Message answer =
                    connection.ask(
                            Kind.VALUES,
                            to -> {
                                WireText.write(hash, to);
                                WireText.write(state, to);
                            });
            if (answer.kind() == Kind.SAME) {
                return null;
            }
            DataInputStream from = answer.body();
            String writtenBy = WireText.read(from);
            Set<Integer> groups = StateWire.readInts(from);
            return new Values(state, writtenBy, groups);
        }

        private final class Values implements ComparedValues {
            private final EntryPart part;
            private final String writtenBy;
            private final Set<Integer> groups;

            Values(String state, String writtenBy, Set<Integer> groups) {
                this.part = new EntryPart(EntryPart.Kind.VALUES, state, 0);
                this.writtenBy = writtenBy;
                this.groups = groups;
            }

            @Override
            public String writtenBy() {
                return writtenBy;
            }

            @Override
            public Set<Integer> keyGroups() {
                return groups;
            }

            @Override
            public Map<String, String> of(int keyGroup, Map<String, String> ofOther)
                    throws IOException {
                return fetch(part, keyGroup, ofOther, EntryCodec.TEXTS);
            }
        }

        private final class Flags implements ComparedFlags {
            private final FlagsFacts facts;

            Flags(FlagsFacts facts) {
                this.facts = facts;
            }

            @Override
            public FlagsFacts facts() {
                return facts;
            }

            @Override
            public FlagsCursor entries(int keyGroup, int hashBits, @Nullable ComparedFlags ofOther)
                    throws IOException {
                EntrySet own = EntrySet.of(List.of());
                if (ofOther != null) {
                    try (FlagsCursor cursor = ofOther.entries(keyGroup, hashBits, null)) {
                        own = FlagEntries.read(cursor);
                    }
                }
                EntryPart part = new EntryPart(EntryPart.Kind.FLAGS, facts.name(), hashBits);
                return FlagEntries.cursor(
                        RemoteEntries.fetch(connection, hash, part, keyGroup, own));
            }

            @Override
            public void close() {}
        }
    }
}
