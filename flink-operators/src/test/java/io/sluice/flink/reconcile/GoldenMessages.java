/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenMessages {

    static final String DIGEST = "v2-digest.bin";
    static final String FILTER = "v2-filter.bin";
    static final String REPAIR = "v2-repair.bin";
    static final String EXCHANGE = "v2-exchange.bin";
    static final String KEY_GROUP = "v1-key-group.bin";

    static final ReconcileSettings SETTINGS =
            new ReconcileSettings(
                    new Setup(60_000, 128, 2, 20_261_122),
                    "east",
                    "west",
                    DifferenceMethod.QUERY,
                    1e-4,
                    8,
                    3_600_000,
                    30_000,
                    900_000,
                    1_000_000,
                    1000,
                    10_000,
                    3_600_000,
                    false);

    static final long INCARNATION = 1_771_000_000_123L;

    private static final int GROUP = 77;
    private static final long WINDOW = 1_771_200_000_000L / 60_000 * 60_000;
    private static final int ELEMENTS = 50;

    private GoldenMessages() {}

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
                new Totals(ELEMENTS, 1275, 0x1234_5678_9abc_def0L));
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
                        visitor -> {
                            for (long id = 0; id < ELEMENTS; id++) {
                                visitor.element(Hashing.hash(id), 1 + id);
                            }
                        },
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

    static Reconciliation exchange() {
        Side side = new Side(SETTINGS, GROUP, INCARNATION + 1);
        return new Reconciliation(
                side,
                WINDOW,
                Phase.EXCHANGING,
                new OwnMultiset(side, new Totals(50, 1275, -5)),
                new PeerView(
                        INCARNATION, 8, 7, new Totals(51, 1300, 17), 1, Phase.EXCHANGING, false),
                new AwaitedAnswer(1, true, 4, new long[] {0b1011, 1}),
                new Patience(SETTINGS.retryMillis(), 40_000, 60_000, 2, true),
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

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        write(folder.resolve(DIGEST), MessageFormat.write(digest()));
        write(folder.resolve(FILTER), MessageFormat.write(filter()));
        write(folder.resolve(REPAIR), MessageFormat.write(repair()));
        write(folder.resolve(EXCHANGE), ReconciliationFormat.write(exchange()));
        write(folder.resolve(KEY_GROUP), KeyGroupFormat.write(keyGroup()));
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes, StandardOpenOption.CREATE_NEW);
    }
}
