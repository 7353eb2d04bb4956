/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** State on two machines is compared as on one, and little of it is sent. */
class RemoteReconcilerTest {

    private static final int LISTED = 50;
    private static final int KEY_GROUPS = 3;
    private static final int PIPE_BYTES = 1 << 16;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Bytes as they were sent. */
    private static final class Recorded extends OutputStream {
        private final OutputStream to;
        private final ByteArrayOutputStream copy = new ByteArrayOutputStream();

        Recorded(OutputStream to) {
            this.to = to;
        }

        @Override
        public void write(int b) throws IOException {
            copy.write(b);
            to.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            copy.write(bytes, from, length);
            to.write(bytes, from, length);
        }

        @Override
        public void flush() throws IOException {
            to.flush();
        }

        @Override
        public void close() throws IOException {
            to.close();
        }
    }

    /** What both sides say, and what the server sent. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Outcome(StateAgreement agreement, boolean served, byte[] answers) {}

    private Outcome remotely(ComparedState a, ComparedState b) throws Exception {
        PipedInputStream toServer = new PipedInputStream(PIPE_BYTES);
        PipedInputStream toClient = new PipedInputStream(PIPE_BYTES);
        OutputStream fromClient = new PipedOutputStream(toServer);
        Recorded fromServer = new Recorded(new PipedOutputStream(toClient));
        Callable<Boolean> serve =
                () -> {
                    try (StateConnection connection = new StateConnection(toServer, fromServer)) {
                        return new StateServer(b, 1_000_000, connection).serve();
                    }
                };
        Future<Boolean> served = threads.submit(serve);
        try (StateConnection connection = new StateConnection(toClient, fromClient)) {
            StateAgreement agreement =
                    RemoteReconciler.compare(a, connection, "there", LISTED, List.of("values"));
            return new Outcome(agreement, served.get(), fromServer.copy.toByteArray());
        }
    }

    private static void assertLikeLocally(ComparedState a, ComparedState b, StateAgreement remote)
            throws IOException {
        StateAgreement local = StateReconciler.compare(a, b, LISTED, List.of("values"));
        assertThat(remote)
                .usingRecursiveComparison()
                .ignoringFields("b", "exchange")
                .isEqualTo(local);
        assertThat(remote.b()).isEqualTo(b.location() + " at there");
        assertThat(local.exchange()).isNull();
    }

    /** Both sides have most keys with equal values; some differ, and some are on one side only. */
    private static <V> List<Map<String, V>> two(
            SplittableRandom random, int keys, double differing, List<V> values) {
        Map<String, V> a = new HashMap<>();
        Map<String, V> b = new HashMap<>();
        for (int i = 0; i < keys; i++) {
            String key = "key " + i;
            V value = values.get(random.nextInt(values.size()));
            double fate = random.nextDouble();
            if (fate >= differing / 3) {
                a.put(key, value);
            }
            if (fate < differing / 3 || fate >= 2 * differing / 3) {
                b.put(
                        key,
                        fate > 1 - differing / 3
                                ? values.get(random.nextInt(values.size()))
                                : value);
            }
        }
        return List.of(a, b);
    }

    private static List<MadeUpState> states(long seed, int keys, double differing) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Map<String, ComparedOperator>> both =
                List.of(new LinkedHashMap<>(), new LinkedHashMap<>());
        List<MadeUpState.Operator> counters = new ArrayList<>();
        List<MadeUpState.Operator> machines = new ArrayList<>();
        List<Map<Integer, Map<String, String>>> values = new ArrayList<>();
        List<Map<Integer, TreeMap<Long, Long>>> flags = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            counters.add(new MadeUpState.Operator("counters"));
            machines.add(new MadeUpState.Operator("machines"));
            values.add(new TreeMap<>());
            flags.add(new TreeMap<>());
            both.get(side).put("c", counters.get(side));
            both.get(side).put("m", machines.get(side));
        }
        for (int keyGroup = 0; keyGroup < KEY_GROUPS; keyGroup++) {
            List<Map<String, Long>> totals =
                    two(random, keys, differing, List.of(1L, -1L, Long.MAX_VALUE, 0L));
            List<Map<String, String>> states =
                    two(random, keys, differing, List.of("NEW", "", "\u00e9\u4e00"));
            List<Map<String, String>> kept = two(random, keys, differing, List.of("x", "y"));
            List<Map<String, Long>> marks = two(random, keys, differing, List.of(400L, 900L));
            for (int side = 0; side < 2; side++) {
                counters.get(side)
                        .groups
                        .put(keyGroup, MadeUpState.Operator.facts(MadeUpState.COUNTERS));
                counters.get(side).totals.put(keyGroup, totals.get(side));
                machines.get(side)
                        .groups
                        .put(keyGroup, MadeUpState.Operator.facts(MadeUpState.MACHINES));
                machines.get(side).machines.put(keyGroup, states.get(side));
                values.get(side).put(keyGroup, kept.get(side));
                TreeMap<Long, Long> entries = new TreeMap<>();
                marks.get(side).forEach((key, until) -> entries.put((long) key.hashCode(), until));
                flags.get(side).put(keyGroup, entries);
            }
        }
        List<MadeUpState> made = new ArrayList<>();
        for (int side = 0; side < 2; side++) {
            counters.get(side).values.put("values", new MadeUpState.Values("w", values.get(side)));
            counters.get(side).flags.put("flags", new MadeUpState.Flags("flags", flags.get(side)));
            made.add(new MadeUpState(side == 0 ? "here" : "far", both.get(side)));
        }
        return made;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.001, 0.01, 0.1, 0.5, 1})
    void itFindsWhatALocalComparisonFinds(double differing) throws Exception {
        for (int keys : new int[] {0, 1, 7, 300, 3000}) {
            List<MadeUpState> both = states(Seeds.seed(keys), keys, differing);
            Outcome remote = remotely(both.get(0), both.get(1));
            assertLikeLocally(both.get(0), both.get(1), remote.agreement());
            assertThat(remote.served()).isEqualTo(remote.agreement().agree());
            assertThat(remote.agreement().exchange().receivedBytes())
                    .isEqualTo(remote.answers().length);
            assertThat(remote.agreement().exchange().stateBytes()).isEqualTo(1_000_000);
        }
    }

    @Test
    void equalStatesSendDigestsAndFewDifferencesLittleMore() throws Exception {
        int keys = 20_000;
        long all = remotely(states(1, keys, 1).get(0), states(1, keys, 1).get(1)).answers().length;
        List<MadeUpState> equal = states(1, keys, 0);
        assertThat(remotely(equal.get(0), equal.get(1)).answers().length).isLessThan(2_000);
        List<MadeUpState> few = states(1, keys, 0.01);
        assertThat(remotely(few.get(0), few.get(1)).answers().length).isLessThan((int) (all / 8));
    }

    @Test
    void valuesOfAKeyGroupThatOnlyOneSideHasAreOnlyThere() throws Exception {
        List<MadeUpState> both = states(1, 10, 0);
        for (int side = 0; side < 2; side++) {
            MadeUpState.Operator counters =
                    (MadeUpState.Operator) both.get(side).operators().get("c");
            ((MadeUpState.Values) counters.values.get("values"))
                    .values()
                    .put(KEY_GROUPS + side, Map.of("key", "x"));
        }
        Outcome remote = remotely(both.get(0), both.get(1));
        assertLikeLocally(both.get(0), both.get(1), remote.agreement());
        assertThat(remote.agreement().operators().get(0).states())
                .singleElement()
                .satisfies(
                        state -> {
                            assertThat(state.refused()).isNull();
                            assertThat(state.values().onlyA()).isOne();
                            assertThat(state.values().onlyB()).isOne();
                        });
    }

    @Test
    void damageThereIsNamed() throws Exception {
        List<MadeUpState> both = states(1, 10, 0);
        ((MadeUpState.Operator) both.get(1).operators().get("c")).damaged = 1;
        Outcome remote = remotely(both.get(0), both.get(1));
        assertLikeLocally(both.get(0), both.get(1), remote.agreement());
        assertThat(remote.agreement().problems())
                .containsExactly(new Problem("a file", 7L, "is damaged"));
        assertThat(remote.served()).isFalse();
    }

    /** Flags of which one key group cannot be read. */
    private record DamagedFlags(ComparedFlags flags, int damaged) implements ComparedFlags {
        @Override
        public FlagsFacts facts() {
            return flags.facts();
        }

        @Override
        public FlagsCursor entries(int keyGroup, int hashBits, @Nullable ComparedFlags ofOther)
                throws IOException {
            if (keyGroup == damaged) {
                throw new DamagedFileException(new Problem("a level file", 7L, "is damaged"));
            }
            return flags.entries(keyGroup, hashBits, ofOther);
        }

        @Override
        public void close() throws IOException {
            flags.close();
        }
    }

    @Test
    void damageOfAKeyGroupOfFlagsThereLeavesTheOthersCompared() throws Exception {
        List<MadeUpState> both = states(1, 10, 0);
        ((MadeUpState.Operator) both.get(1).operators().get("c"))
                .flags.computeIfPresent("flags", (name, flags) -> new DamagedFlags(flags, 1));
        Outcome remote = remotely(both.get(0), both.get(1));
        assertLikeLocally(both.get(0), both.get(1), remote.agreement());
        assertThat(remote.agreement().problems())
                .containsExactly(new Problem("a level file", 7L, "is damaged"));
        assertThat(remote.served()).isFalse();
    }

    /** Flags whose files are open from the first question about them until they are closed. */
    private record OpenFlags(ComparedFlags flags, Set<String> open) implements ComparedFlags {
        @Override
        public FlagsFacts facts() {
            return flags.facts();
        }

        @Override
        public FlagsCursor entries(int keyGroup, int hashBits, @Nullable ComparedFlags ofOther)
                throws IOException {
            open.add(facts().name());
            assertThat(open).containsExactly(facts().name());
            return flags.entries(keyGroup, hashBits, ofOther);
        }

        @Override
        public void close() throws IOException {
            open.remove(facts().name());
            flags.close();
        }
    }

    @Test
    void filesOfOneStateAreOpenThereAtATime() throws Exception {
        List<MadeUpState> both = states(1, 10, 0.3);
        Set<String> open = new HashSet<>();
        for (int side = 0; side < 2; side++) {
            Map<String, ComparedFlags> flags =
                    ((MadeUpState.Operator) both.get(side).operators().get("c")).flags;
            MadeUpState.Flags made = (MadeUpState.Flags) flags.get("flags");
            for (String name : List.of("flags", "more", "still more")) {
                ComparedFlags same = new MadeUpState.Flags(name, made.entries());
                flags.put(name, side == 0 ? same : new OpenFlags(same, open));
            }
        }
        Outcome remote = remotely(both.get(0), both.get(1));
        assertThat(open).isEmpty();
        assertLikeLocally(both.get(0), both.get(1), remote.agreement());
    }

    /** Such text is in no encoding of Unicode, but may be in state. */
    @Test
    void keysThatDifferInHalfAPairOfSurrogatesAreNotTheSame() throws Exception {
        List<MadeUpState> both = states(1, 0, 0);
        for (int side = 0; side < 2; side++) {
            MadeUpState.Operator counters =
                    (MadeUpState.Operator) both.get(side).operators().get("c");
            counters.totals.put(1, Map.of(side == 0 ? "\ud800" : "\ud801", 1L, "\ud83d\ude00", 2L));
        }
        Outcome remote = remotely(both.get(0), both.get(1));
        assertLikeLocally(both.get(0), both.get(1), remote.agreement());
        assertThat(remote.agreement().agree()).isFalse();
    }

    @Test
    void whatCannotBeComparedIsRefusedAsLocally() throws Exception {
        List<MadeUpState> both = states(1, 10, 0);
        ((MadeUpState.Operator) both.get(1).operators().get("c")).maxParallelism = 64;
        both.get(1).operators().remove("m");
        Outcome remote = remotely(both.get(0), both.get(1));
        assertLikeLocally(both.get(0), both.get(1), remote.agreement());
        assertThat(remote.agreement().operators())
                .extracting(OperatorAgreement::refused)
                .allMatch(reason -> reason != null);
    }

    /** A client that gets these answers, whatever it asks. */
    private static void answerWith(byte[] answers, ComparedState own) throws IOException {
        InputStream in = new ByteArrayInputStream(answers);
        try (StateConnection connection =
                new StateConnection(in, OutputStream.nullOutputStream())) {
            RemoteReconciler.compare(own, connection, "there", LISTED, List.of("values"));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Test
    void aConnectionThatEndsAnywhereIsOneReadableLine() throws Exception {
        List<MadeUpState> both = states(1, 30, 0.3);
        byte[] answers = remotely(both.get(0), both.get(1)).answers();
        for (int length = 0; length < answers.length; length += 1 + length / 50) {
            byte[] cut = Arrays.copyOf(answers, length);
            assertThatThrownBy(() -> answerWith(cut, both.get(0)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the connection has ended")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void damageOnTheWayIsNoticedOrTheComparisonIsRight() throws Exception {
        List<MadeUpState> both = states(1, 30, 0.3);
        byte[] answers = remotely(both.get(0), both.get(1)).answers();
        for (int at = 0; at < answers.length; at += 1 + at / 100) {
            byte[] damaged = answers.clone();
            damaged[at] ^= 1;
            assertThatThrownBy(() -> answerWith(damaged, both.get(0)))
                    .as("byte %d", at)
                    .isInstanceOf(IOException.class);
        }
    }

    /** Frames that are right around bodies that are not. */
    @Test
    void answersThatAreMadeUpEndInAReadableLine() throws Exception {
        List<MadeUpState> both = states(1, 30, 0.3);
        SplittableRandom random = new SplittableRandom(Seeds.seed(3));
        byte[] honest = remotely(both.get(0), both.get(1)).answers();
        for (int i = 0; i < 500; i++) {
            StateConnection source =
                    new StateConnection(
                            new ByteArrayInputStream(honest), OutputStream.nullOutputStream());
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            StateConnection to = new StateConnection(InputStream.nullInputStream(), bytes);
            int madeUp = random.nextInt(12);
            for (int message = 0; message <= madeUp; message++) {
                StateConnection.Message next = source.receive();
                byte[] body = next.body().readAllBytes();
                if (message == madeUp && body.length > 0) {
                    for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
                    }
                }
                to.send(next.kind(), out -> out.write(body));
            }
            byte[] answers = bytes.toByteArray();
            assertThatThrownBy(() -> answerWith(answers, both.get(0)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void questionsThatAreMadeUpAreRefusedAndTheServerGoesOn() throws Exception {
        MadeUpState state = states(1, 10, 0).get(0);
        ByteArrayOutputStream questions = new ByteArrayOutputStream();
        StateConnection client = new StateConnection(InputStream.nullInputStream(), questions);
        SplittableRandom random = new SplittableRandom(Seeds.seed(4));
        int asked = 200;
        List<StateConnection.Kind> questionsAndMore =
                new ArrayList<>(List.of(StateConnection.Kind.values()));
        questionsAndMore.remove(StateConnection.Kind.END);
        for (int i = 0; i < asked; i++) {
            StateConnection.Kind kind =
                    questionsAndMore.get(random.nextInt(questionsAndMore.size()));
            byte[] body = new byte[random.nextInt(40)];
            random.nextBytes(body);
            client.send(kind, to -> to.write(body));
        }
        client.send(StateConnection.Kind.END, to -> to.writeBoolean(true));
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        StateConnection connection =
                new StateConnection(new ByteArrayInputStream(questions.toByteArray()), answers);
        assertThat(new StateServer(state, 1, connection).serve()).isTrue();
        StateConnection answered =
                new StateConnection(
                        new ByteArrayInputStream(answers.toByteArray()),
                        OutputStream.nullOutputStream());
        for (int i = 0; i < asked; i++) {
            assertThat(answered.receive().kind())
                    .isIn(
                            StateConnection.Kind.ANSWER,
                            StateConnection.Kind.SAME,
                            StateConnection.Kind.PROBLEM);
        }
    }

    @Test
    void questionsAboutWhatIsNotThereAreRefusedAndTheServerGoesOn() throws Exception {
        ComparedState stored =
                new MadeUpState(
                        "here",
                        Map.of(
                                "c",
                                new StoredOperator(
                                        new OperatorState("name", "uid", new OperatorID(), 1, 128),
                                        getClass().getClassLoader())));
        ByteArrayOutputStream questions = new ByteArrayOutputStream();
        StateConnection client = new StateConnection(InputStream.nullInputStream(), questions);
        int asked = 0;
        for (int keyGroup : new int[] {-1, 0, 128, Integer.MAX_VALUE}) {
            client.send(
                    StateConnection.Kind.KEY_GROUP,
                    to -> {
                        WireText.write("c", to);
                        to.writeInt(keyGroup);
                        WireText.write(new byte[0], to);
                    });
            asked++;
            for (EntryPart.Kind kind : EntryPart.Kind.values()) {
                if (kind == EntryPart.Kind.TOTALS && keyGroup == 0) {
                    // There are none, which is an answer.
                    continue;
                }
                client.send(
                        StateConnection.Kind.ENTRIES,
                        to -> {
                            WireText.write("c", to);
                            new EntryPart(kind, "a state", 0).write(to);
                            to.writeInt(keyGroup);
                            WireText.write(new byte[0], to);
                        });
                asked++;
            }
        }
        client.send(StateConnection.Kind.END, to -> to.writeBoolean(false));
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        StateConnection connection =
                new StateConnection(new ByteArrayInputStream(questions.toByteArray()), answers);
        assertThat(new StateServer(stored, 1, connection).serve()).isFalse();
        StateConnection answered =
                new StateConnection(
                        new ByteArrayInputStream(answers.toByteArray()),
                        OutputStream.nullOutputStream());
        for (int i = 0; i < asked; i++) {
            assertThat(answered.receive().kind()).isEqualTo(StateConnection.Kind.PROBLEM);
        }
    }

    @Test
    void aClientOfAnotherVersionIsToldSo() throws Exception {
        byte[] question = {0x53, 0x4c, 0x52, 0x43, 0, 9, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4};
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        StateConnection connection =
                new StateConnection(new ByteArrayInputStream(question), answers);
        StateServer server = new StateServer(states(1, 1, 0).get(0), 1, connection);
        assertThatThrownBy(server::serve)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 9");
        StateConnection answered =
                new StateConnection(
                        new ByteArrayInputStream(answers.toByteArray()),
                        OutputStream.nullOutputStream());
        assertThat(answered.receive().kind()).isEqualTo(StateConnection.Kind.PROBLEM);
    }

    @Test
    void somethingElseAtTheAddressIsSaidSo() {
        byte[] http = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> answerWith(http, states(1, 1, 0).get(0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not 'sluice reconcile'");
    }

    @Test
    void anotherVersionIsNamed() {
        byte[] message = {0x53, 0x4c, 0x52, 0x43, 0, 9, 0, 0, 0, 0, 0, 0};
        assertThatThrownBy(() -> answerWith(message, states(1, 1, 0).get(0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 9")
                .hasMessageContaining("the same release");
    }

    @Test
    void moreKeyGroupsThanFlinkHasAreNoList() {
        int count = (1 << 15) + 1;
        assertThatThrownBy(
                        () ->
                                StateWire.readInts(
                                        new DataInputStream(
                                                new ByteArrayInputStream(
                                                        ByteBuffer.allocate(
                                                                        (count + 1) * Integer.BYTES)
                                                                .putInt(count)
                                                                .array()))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("32769");
    }

    @Test
    void aLengthThatIsMadeUpTakesNoMemory() {
        byte[] message = {
            0x53, 0x4c, 0x52, 0x43, 0, StateConnection.VERSION, 0, 1, 0x7f, -1, -1, -1
        };
        assertThatThrownBy(() -> answerWith(message, states(1, 1, 0).get(0)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be one");
    }
}
