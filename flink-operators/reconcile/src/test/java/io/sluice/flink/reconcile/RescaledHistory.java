/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Setup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A history of {@link ReplicaHistoriesTest} in which subtasks come and go: two operators of several
 * key groups, which fail, are drained, and start again with another parallelism, and a line that
 * loses and repeats messages. They must agree on everything that was in time.
 */
final class RescaledHistory {

    private static final long WINDOW = 1000;
    private static final int WINDOWS = 3;
    private static final long YEARS = 30L * 365 * 24 * 3_600_000;

    private record Event(String id, long timestamp) {}

    /** How far a replica has read. */
    private record Position(int records, int messages, long clock, List<Boolean> inTime) {}

    /** One replica, and the exact model of which of its records are in time. */
    private final class Half {
        private final OperatorReplica replica;
        private final List<Event> input = new ArrayList<>();
        private final List<byte[]> fromPeer = new ArrayList<>();
        private Half peer;
        private int recordsRead;
        private int messagesRead;
        private long clock = GroupExchanges.NONE;
        private List<Boolean> inTime = new ArrayList<>();
        private Position saved = new Position(0, 0, GroupExchanges.NONE, List.of());

        Half(String name, Setup setup) throws Exception {
            replica =
                    new OperatorReplica(
                            ReplicaHistory.settings(name, setup, 1 << 20, 0, 100),
                            Backends.HASHMAP);
            replica.start(parallelism());
        }

        private int parallelism() {
            return 1 + random.nextInt(Math.min(groups, 4));
        }

        private boolean read() throws Exception {
            if (recordsRead == input.size()) {
                return false;
            }
            Event next = input.get(recordsRead++);
            int lateBefore = replica.lateRecords();
            replica.record(next.id, next.timestamp);
            boolean isInTime = replica.lateRecords() == lateBefore;
            assertThat(isInTime)
                    .as("in time: %s at %d", next, clock)
                    .isEqualTo(
                            next.timestamp < YEARS
                                    && windowOf(next.timestamp) + WINDOW - 1 > clock);
            inTime.add(isInTime);
            return true;
        }

        private void watermark(long timestamp) throws Exception {
            replica.watermark(timestamp);
            if (timestamp < YEARS) {
                clock = Math.max(clock, timestamp);
            }
        }

        private void watermarkOfTheInput() throws Exception {
            if (recordsRead > 0 && input.get(recordsRead - 1).timestamp < YEARS) {
                watermark(input.get(recordsRead - 1).timestamp - random.nextInt(300));
            }
        }

        private boolean readMessage() throws Exception {
            if (messagesRead == fromPeer.size()) {
                return false;
            }
            replica.receive(List.of(fromPeer.get(messagesRead++)));
            return true;
        }

        private void checkpoint(long elapsed) throws Exception {
            replica.pass(elapsed);
            save();
            replica.checkpoint().forEach(message -> send(message, peer.fromPeer));
        }

        private void save() {
            saved = new Position(recordsRead, messagesRead, clock, List.copyOf(inTime));
        }

        private void restart() throws Exception {
            replica.start(parallelism());
            recordsRead = saved.records;
            messagesRead = saved.messages;
            clock = saved.clock;
            inTime = new ArrayList<>(saved.inTime);
        }

        private void drain() throws Exception {
            save();
            replica.drain();
            restart();
        }

        private Map<Long, Map<String, Long>> seen() {
            Map<Long, Map<String, Long>> seen = new TreeMap<>();
            for (int i = 0; i < inTime.size(); i++) {
                if (inTime.get(i)) {
                    seen.computeIfAbsent(windowOf(input.get(i).timestamp), w -> new HashMap<>())
                            .merge(input.get(i).id, 1L, Long::sum);
                }
            }
            return seen;
        }
    }

    private final SplittableRandom random;
    private final int groups;
    private final Half a;
    private final Half b;
    private double faults;

    RescaledHistory(long seed, int groups) throws Exception {
        this.random = new SplittableRandom(seed);
        this.groups = groups;
        this.faults = random.nextDouble(0.4);
        Setup setup = new Setup(WINDOW, groups, 2, 7);
        a = new Half("a", setup);
        b = new Half("b", setup);
        a.peer = b;
        b.peer = a;
        int ids = 1 + random.nextInt(20);
        for (int window = 0; window < WINDOWS; window++) {
            for (int i = 0; i < ids; i++) {
                boolean isWild = random.nextInt(20) == 0;
                long time = isWild ? 2 * YEARS : window * WINDOW + i * WINDOW / ids;
                Event event = new Event("id-" + random.nextInt(2 * ids), time);
                give(event, a);
                give(event, b);
            }
        }
    }

    private static long windowOf(long timestamp) {
        return timestamp - Math.floorMod(timestamp, WINDOW);
    }

    private void give(Event event, Half to) {
        for (int copies = random.nextInt(8) % 3; copies > 0; copies--) {
            to.input.add(event);
        }
    }

    private void send(byte[] message, List<byte[]> log) {
        for (double fate = random.nextDouble(); fate >= faults; fate -= 0.9) {
            log.add(message);
        }
    }

    void run(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            Half half = random.nextBoolean() ? a : b;
            switch (random.nextInt(14)) {
                case 0, 1, 2 -> {
                    for (int records = random.nextInt(12); records > 0; records--) {
                        half.read();
                    }
                }
                case 3, 4 -> half.watermarkOfTheInput();
                case 5 -> half.watermark(2 * YEARS + random.nextLong(YEARS));
                case 6, 7, 8 -> half.readMessage();
                case 9, 10 -> half.checkpoint(random.nextInt(20));
                case 11 -> half.replica.failCheckpoint();
                case 12 -> half.restart();
                default -> half.drain();
            }
        }
    }

    /** Runs until both have nothing left to say. */
    void calm() throws Exception {
        faults = 0;
        int silent = 0;
        for (int turn = 0; silent < 8; turn++) {
            assertThat(turn).as("turns until both are silent").isLessThan(500);
            boolean said = false;
            for (Half half : List.of(a, b)) {
                while (half.read()) {
                    said = true;
                }
                half.watermark(WINDOWS * WINDOW);
                while (half.readMessage()) {
                    said = true;
                }
                half.checkpoint(700);
            }
            silent = said ? 0 : silent + 1;
        }
    }

    void check() {
        Map<Long, Map<String, Long>> union = a.seen();
        b.seen()
                .forEach(
                        (window, all) ->
                                all.forEach(
                                        (id, copies) ->
                                                union.computeIfAbsent(window, w -> new HashMap<>())
                                                        .merge(id, copies, Math::max)));
        for (Half half : List.of(a, b)) {
            assertThat(half.replica.elements()).isEqualTo(union);
            Map<String, Integer> ends = new HashMap<>();
            for (WindowReport report : half.replica.reports()) {
                if (!report.outcome().equals(Outcome.UNFINISHED.name())) {
                    assertThat(report.outcome()).isEqualTo(Outcome.AGREED.name());
                    ends.merge(report.window() + " of " + report.group(), 1, Integer::sum);
                }
            }
            assertThat(ends.values()).as("one report of each").containsOnly(1);
            Map<Long, Map<String, Long>> repaired = half.seen();
            half.replica
                    .repairs()
                    .forEach(
                            (window, all) ->
                                    all.forEach(
                                            (id, copies) ->
                                                    repaired.computeIfAbsent(
                                                                    window, w -> new HashMap<>())
                                                            .merge(id, copies, Long::sum)));
            assertThat(repaired).as("own records and repairs").isEqualTo(union);
        }
    }

    void close() throws Exception {
        a.replica.close();
        b.replica.close();
    }
}
