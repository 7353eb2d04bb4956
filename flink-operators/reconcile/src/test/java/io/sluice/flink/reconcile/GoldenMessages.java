/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Map.entry;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.rateless.DifferenceSketch;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.flink.reconcile.message.ElementBatch;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import io.sluice.flink.reconcile.message.Setup;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;

/** What is in the golden files. */
final class GoldenMessages {

    static final String DIGEST = "v4-digest.bin";
    static final String FILTER = "v4-filter.bin";
    static final String REPAIR = "v4-repair.bin";
    static final String EMPTY_FILTER = "v4-empty-filter.bin";
    static final String EMPTY_REPAIR = "v4-empty-repair.bin";
    static final String AGREED = "v4-agreed.bin";
    static final String SETTLED = "v4-settled.bin";
    static final String FAREWELL = "v4-farewell.bin";
    static final String EXCHANGE = "v4-exchange.bin";
    static final String OPEN_EXCHANGE = "v4-open-exchange.bin";
    static final String ABANDONED_EXCHANGE = "v4-abandoned-exchange.bin";
    static final String AGREED_EXCHANGE = "v4-agreed-exchange.bin";
    static final String SETTLED_EXCHANGE = "v4-settled-exchange.bin";
    static final String SYMBOLS = "v4-symbols.bin";
    static final String SHORTAGE = "v4-shortage.bin";
    static final String CONTRADICTION = "v4-contradiction.bin";
    static final String SYMBOLS_EXCHANGE = "v4-symbols-exchange.bin";
    static final String FALLBACK_EXCHANGE = "v4-fallback-exchange.bin";
    static final String KEY_GROUP = "v1-key-group.bin";
    static final String NEW_KEY_GROUP = "v1-new-key-group.bin";

    static final ReconcileSettings SETTINGS = settings("east", "west");

    /** Of the side that sends the messages. */
    static final ReconcileSettings PEER_SETTINGS = settings("west", "east");

    static final long INCARNATION = 1_771_000_000_123L;

    static final int GROUP = 77;
    private static final long WINDOW = 1_771_200_000_000L / 60_000 * 60_000;
    private static final int ELEMENTS = 50;
    private static final Totals TOTALS = new Totals(ELEMENTS, 1275, 0x1234_5678_9abc_def0L);
    private static final ExchangeKey KEY = new ExchangeKey(20_261_128, -1);
    private static final Totals NOTHING = new Totals(0, 0, 0);

    private GoldenMessages() {}

    private static ReconcileSettings settings(String replica, String peer) {
        return new ReconcileSettings(
                new Setup(60_000, 128, 2, 20_261_122),
                replica,
                peer,
                DifferenceMethod.QUERY,
                1e-4,
                8,
                3_600_000,
                0,
                30_000,
                900_000,
                1_000_000,
                1000,
                10_000,
                3_600_000,
                false);
    }

    private static Message.Head head(MessageKind kind, String replica, String peer, Setup setup) {
        return new Message.Head(
                kind,
                Hashing.hash(replica),
                Hashing.hash(peer),
                INCARNATION,
                setup,
                GROUP,
                WINDOW,
                3,
                true,
                Phase.EXCHANGING,
                1,
                TOTALS);
    }

    static Message digest(String replica, String peer, Setup setup) {
        return new Message(head(MessageKind.DIGEST, replica, peer, setup), null, null);
    }

    static Message digest(String replica, Setup setup) {
        return digest(replica, "east", setup);
    }

    static Message digest() {
        return digest("west", SETTINGS.setup());
    }

    static Message filter() {
        MultisetDigest filter =
                MultisetDigest.of(
                        GoldenMessages::elements,
                        CuckooShape.sized(ELEMENTS, 1e-4, 8),
                        Collisions.SEPARATE,
                        SETTINGS.seedOf(1));
        return new Message(
                head(MessageKind.FILTER, "west", "east", SETTINGS.setup()), filter, null);
    }

    static Message repair() {
        ElementBatch batch = new ElementBatch();
        for (int i = 0; i < 20; i++) {
            batch.add("element-".repeat(i).getBytes(StandardCharsets.US_ASCII), 1L << (3 * i));
        }
        return new Message(
                head(MessageKind.REPAIR, "west", "east", SETTINGS.setup()),
                null,
                new Message.Repair(2, 1, 4, batch));
    }

    private static void elements(RootSet.Visitor visitor) {
        for (long id = 0; id < ELEMENTS; id++) {
            visitor.element(Hashing.hash(id), 1 + id);
        }
    }

    /** Of the multiset of {@link #symbols}. */
    static SymbolEncoder encoder() {
        return new SymbolEncoder(GoldenMessages::elements, KEY);
    }

    static DifferenceSketch sketch() {
        return DifferenceSketch.of(GoldenMessages::elements, ELEMENTS, KEY);
    }

    static Message symbols() {
        return new Message(
                head(MessageKind.SYMBOLS, "west", "east", SETTINGS.setup()), encoder().next(24));
    }

    static Message shortage() {
        return shortage(sketch());
    }

    private static Message shortage(@Nullable DifferenceSketch sketch) {
        return new Message(
                head(MessageKind.SHORTAGE, "west", "east", SETTINGS.setup()),
                new Message.Shortage(48, sketch));
    }

    /** Of a side that has no elements, in the first round. */
    static Message emptyFilter() {
        MultisetDigest filter =
                MultisetDigest.of(
                        visitor -> {},
                        CuckooShape.sized(1, 1e-4, 8),
                        Collisions.SEPARATE,
                        SETTINGS.seedOf(0));
        return new Message(first(MessageKind.FILTER, Phase.EXCHANGING, NOTHING), filter, null);
    }

    /** The peer lacks nothing. */
    static Message emptyRepair() {
        return new Message(
                first(MessageKind.REPAIR, Phase.AGREED, TOTALS),
                null,
                new Message.Repair(1, 0, 1, new ElementBatch()));
    }

    /** A digest in a phase that follows the exchange. */
    static Message digest(Phase phase) {
        Totals totals = phase.isOver() ? NOTHING : TOTALS;
        return new Message(first(MessageKind.DIGEST, phase, totals), null, null);
    }

    /** The first message, which repeats none, about the first window there can be. */
    private static Message.Head first(MessageKind kind, Phase phase, Totals totals) {
        return new Message.Head(
                kind,
                Hashing.hash("west"),
                Hashing.hash("east"),
                1,
                SETTINGS.setup(),
                0,
                -60_000,
                1,
                false,
                phase,
                0,
                totals);
    }

    private static Side side() {
        return new Side(SETTINGS, GROUP, INCARNATION + 1);
    }

    /** The window takes records, and the peer has said nothing. */
    static Reconciliation openExchange() {
        Side side = side();
        return new Reconciliation(
                side,
                WINDOW,
                Phase.OPEN,
                new OwnMultiset(side, new Totals(3, 5, -1)),
                new PeerView(),
                new AwaitedAnswer(),
                new RepeatTimer(SETTINGS.retryMillis()),
                new ExchangeStatistics(new long[] {0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
                0,
                null);
    }

    /** The window takes records, and the peer has given up already. */
    static Reconciliation abandonedExchange() {
        Side side = side();
        return new Reconciliation(
                side,
                WINDOW,
                Phase.OPEN,
                new OwnMultiset(side, NOTHING),
                new PeerView(INCARNATION, 0, 0, NOTHING, 0, Phase.OPEN, true),
                new AwaitedAnswer(),
                new RepeatTimer(SETTINGS.retryMillis()),
                new ExchangeStatistics(),
                0,
                null);
    }

    /** After the exchange, with an answer still to be sent or with nothing left to say. */
    static Reconciliation agreedExchange(Phase phase) {
        Side side = side();
        return new Reconciliation(
                side,
                WINDOW,
                phase,
                new OwnMultiset(side, TOTALS),
                new PeerView(INCARNATION, 12, 10, TOTALS, 2, Phase.AGREED, false),
                new AwaitedAnswer(2, false, 0, new long[0]),
                new RepeatTimer(SETTINGS.retryMillis(), 0, 30_000, 0, false),
                new ExchangeStatistics(new long[] {48, 1270, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}),
                11,
                phase == Phase.AGREED ? MessageKind.DIGEST : null);
    }

    static Reconciliation exchange() {
        return exchange(new AwaitedAnswer(1, true, 4, new long[] {0b1011, 1}));
    }

    private static Reconciliation exchange(AwaitedAnswer awaited) {
        Side side = side();
        return new Reconciliation(
                side,
                WINDOW,
                Phase.EXCHANGING,
                new OwnMultiset(side, new Totals(50, 1275, -5)),
                new PeerView(
                        INCARNATION, 8, 7, new Totals(51, 1300, 17), 1, Phase.EXCHANGING, false),
                awaited,
                new RepeatTimer(SETTINGS.retryMillis(), 40_000, 60_000, 2, true),
                new ExchangeStatistics(new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}),
                9,
                MessageKind.FILTER);
    }

    static KeyGroupFacts keyGroup() {
        Map<Long, Long> forgotten = new TreeMap<>();
        forgotten.put(-3L, 5L);
        forgotten.put(7L, 7L);
        forgotten.put(29_520_000L, 29_520_010L);
        return new KeyGroupFacts(
                SETTINGS.setup(),
                "east",
                "west",
                "String",
                INCARNATION + 1,
                1_771_200_059_999L,
                forgotten);
    }

    /** Of a replica that has seen no time yet and forgotten no window. */
    static KeyGroupFacts newKeyGroup() {
        return new KeyGroupFacts(
                SETTINGS.setup(), "Köln", "東京", "Long", 1, Long.MIN_VALUE, Map.of());
    }

    /** The messages, by name of the file. */
    static Map<String, Message> messages() {
        return Map.ofEntries(
                entry(DIGEST, digest()),
                entry(AGREED, digest(Phase.AGREED)),
                entry(SETTLED, digest(Phase.SETTLED)),
                entry(FAREWELL, digest(Phase.GAVE_UP)),
                entry(FILTER, filter()),
                entry(EMPTY_FILTER, emptyFilter()),
                entry(REPAIR, repair()),
                entry(EMPTY_REPAIR, emptyRepair()),
                entry(SYMBOLS, symbols()),
                entry(SHORTAGE, shortage()),
                entry(CONTRADICTION, shortage(null)));
    }

    /** The stored exchanges, by name of the file. */
    static Map<String, Reconciliation> exchanges() {
        return Map.of(
                EXCHANGE, exchange(),
                SYMBOLS_EXCHANGE,
                        exchange(new AwaitedAnswer(2, true, 0, new long[0], 96, Fallback.NONE)),
                FALLBACK_EXCHANGE,
                        exchange(
                                new AwaitedAnswer(
                                        1,
                                        true,
                                        4,
                                        new long[] {1},
                                        0,
                                        Fallback.CONTRADICTORY_SYMBOLS)),
                OPEN_EXCHANGE, openExchange(),
                ABANDONED_EXCHANGE, abandonedExchange(),
                AGREED_EXCHANGE, agreedExchange(Phase.AGREED),
                SETTLED_EXCHANGE, agreedExchange(Phase.SETTLED));
    }

    static Map<String, KeyGroupFacts> keyGroups() {
        return Map.of(KEY_GROUP, keyGroup(), NEW_KEY_GROUP, newKeyGroup());
    }
}
