/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.reconcile.ReplicaHistoriesTest.Kind;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import io.sluice.flink.reconcile.message.Setup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A history of {@link ReplicaHistoriesTest}: two replicas, a bad line, and what they were given.
 */
final class ReplicaHistory {

    private static final long WINDOW = 1000;
    private static final int WINDOWS = 4;
    private static final long YEARS = 30L * 365 * 24 * 3_600_000;

    /** One replica, and the exact model of which of its records are in time. */
    private static final class Half {
        private final ReconcileSettings settings;
        private final List<Replica.Event> input = new ArrayList<>();
        private final List<byte[]> log = new ArrayList<>();
        private Replica replica;
        private long clock = GroupExchanges.NONE;
        private long checkpointClock = GroupExchanges.NONE;
        private long pendingClock = GroupExchanges.NONE;
        private boolean hasLostState;

        Half(ReconcileSettings settings) {
            this.settings = settings;
        }

        private boolean isOver(long window) {
            return replica.reports().stream().anyMatch(report -> report.window() == window);
        }

        void read() throws Exception {
            int next = replica.inTime().size();
            if (next == input.size()) {
                return;
            }
            long time = input.get(next).timestamp();
            long window = time - Math.floorMod(time, WINDOW);
            boolean expected = time < YEARS && window + WINDOW - 1 > clock;
            // A window that was given up is over, unless the state that knew it was lost.
            boolean decided = !hasLostState && !isOver(window);
            replica.readRecord();
            if (decided) {
                assertThat(replica.inTime().get(next)).as("in time: %d", time).isEqualTo(expected);
            } else if (!expected) {
                assertThat(replica.inTime().get(next)).isFalse();
            }
        }

        void watermark(long timestamp) throws Exception {
            replica.watermark(timestamp);
            if (timestamp < YEARS) {
                clock = Math.max(clock, timestamp);
            }
        }

        void beginCheckpoint(long elapsed) throws Exception {
            replica.beginCheckpoint(elapsed);
            pendingClock = clock;
        }

        void completeCheckpoint() {
            replica.completeCheckpoint();
            checkpointClock = pendingClock;
        }

        void kill() throws Exception {
            replica.kill();
            clock = checkpointClock;
            pendingClock = clock;
        }

        void drain() throws Exception {
            pendingClock = clock;
            checkpointClock = clock;
            replica.drain();
        }

        void loseState() {
            replica.loseState();
            clock = GroupExchanges.NONE;
            checkpointClock = clock;
            pendingClock = clock;
            hasLostState = true;
        }

        /** What was in time, by window. */
        Map<Long, Map<Long, Long>> seen() {
            List<Replica.Event> inTime = new ArrayList<>();
            for (int i = 0; i < replica.inTime().size(); i++) {
                if (replica.inTime().get(i)) {
                    inTime.add(input.get(i));
                }
            }
            return TwoReplicas.multisets(inTime);
        }
    }

    private final SplittableRandom random;
    private final Kind kind;
    private final Half a;
    private final Half b;
    private double faults;

    ReplicaHistory(long seed, Kind kind) {
        this.random = new SplittableRandom(seed);
        this.kind = kind;
        this.faults = random.nextDouble(0.4);
        boolean isShort = kind == Kind.TIME_AND_ROOM_ARE_SHORT;
        boolean isSuspended = kind == Kind.EXCHANGES_ARE_SUSPENDED;
        long ttl = isShort || isSuspended ? 20 + random.nextInt(300) : 1 << 20;
        long resume = isSuspended ? 1 << 20 : 0;
        int windows = isShort ? 2 + random.nextInt(3) : 100;
        Setup setup = new Setup(WINDOW, 1, 1, 7);
        a = new Half(settings("a", setup, ttl, resume, windows));
        b = new Half(settings("b", setup, ttl, resume, windows));
        a.replica = new Replica(a.settings, a.input, a.log, message -> send(message, b.log));
        b.replica = new Replica(b.settings, b.input, b.log, message -> send(message, a.log));
        int ids = 1 + random.nextInt(12);
        for (int window = 0; window < WINDOWS; window++) {
            for (int i = 0; i < ids; i++) {
                Replica.Event event =
                        new Replica.Event(
                                random.nextInt(2 * ids),
                                random.nextInt(20) == 0
                                        ? YEARS + random.nextInt(1_000_000)
                                        : window * WINDOW + i * WINDOW / ids);
                give(event, a);
                give(event, b);
            }
        }
    }

    static ReconcileSettings settings(
            String replica, Setup setup, long ttl, long resume, int windows) {
        return new ReconcileSettings(
                setup,
                replica,
                replica.equals("a") ? "b" : "a",
                DifferenceMethod.QUERY,
                0.1,
                4,
                ttl,
                resume,
                10,
                4096,
                1 << 20,
                2,
                windows,
                3_600_000,
                false);
    }

    private void give(Replica.Event event, Half to) {
        for (int copies = random.nextInt(8) % 3; copies > 0; copies--) {
            long more = random.nextInt(4) == 0 ? 1L << random.nextInt(50) : 1;
            to.input.add(new Replica.Event(event.id(), event.timestamp(), more));
        }
    }

    private void send(byte[] message, List<byte[]> log) {
        if (random.nextDouble() < faults) {
            return;
        }
        byte[] sent = message;
        if (random.nextDouble() < faults / 2) {
            sent = message.clone();
            sent[random.nextInt(sent.length)] ^= (byte) (1 + random.nextInt(255));
        }
        log.add(sent);
        if (random.nextDouble() < faults) {
            log.add(sent);
        }
        if (random.nextDouble() < faults / 4) {
            log.add(ofAThird());
        }
    }

    /**
     * Claims that a third replica has the same multiset; if it were believed, the exchange would
     * end.
     */
    private byte[] ofAThird() {
        return MessageFormat.write(
                new Message(
                        new Message.Head(
                                MessageKind.DIGEST,
                                Hashing.hash("c"),
                                Hashing.hash(random.nextBoolean() ? "a" : "b"),
                                1,
                                a.settings.setup(),
                                0,
                                random.nextInt(WINDOWS) * WINDOW,
                                1000,
                                true,
                                random.nextBoolean() ? Phase.GAVE_UP : Phase.AGREED,
                                0,
                                new Totals(0, 0, 0)),
                        null,
                        null));
    }

    private void swap(Half reader) {
        int unread = reader.replica.unread();
        if (unread >= 2 && random.nextDouble() < faults) {
            int i = reader.log.size() - 1 - random.nextInt(unread);
            int j = reader.log.size() - 1 - random.nextInt(unread);
            byte[] moved = reader.log.get(i);
            reader.log.set(i, reader.log.get(j));
            reader.log.set(j, moved);
        }
    }

    void run(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            step(random.nextBoolean() ? a : b);
        }
    }

    private void step(Half half) throws Exception {
        swap(half);
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> {
                for (int i = random.nextInt(12); i > 0; i--) {
                    half.read();
                }
            }
            case 3 -> {
                long last = half.replica.lastTimestamp();
                if (last < YEARS && last != GroupExchanges.NONE) {
                    half.watermark(last - random.nextInt(300));
                }
            }
            case 4 -> half.watermark(YEARS + random.nextLong(YEARS));
            case 5, 6, 7 -> half.replica.readMessage();
            case 8, 9 -> half.beginCheckpoint(random.nextInt(20));
            case 10 -> half.completeCheckpoint();
            case 11 -> {
                half.kill();
                ReplicaHistoriesTest.otherSetupsAreRefused(half.replica, half.settings);
            }
            case 12 -> half.drain();
            default -> mishap(half);
        }
    }

    private void mishap(Half half) throws Exception {
        if (kind == Kind.WINDOWS_ARE_GIVEN_UP) {
            half.replica.giveUp(random.nextInt(WINDOWS) * WINDOW);
        } else if (kind == Kind.STATE_IS_LOST && random.nextInt(4) == 0) {
            half.loseState();
        }
    }

    /** Runs until both have nothing left to say. */
    void calm() throws Exception {
        faults = 0;
        int idle = 0;
        for (int turn = 0; idle < 3; turn++) {
            if (turn == 3000) {
                throw new AssertionError(
                        "not over: " + a.replica.describe() + "; " + b.replica.describe());
            }
            boolean said = false;
            for (Half half : List.of(a, b)) {
                while (half.replica.inTime().size() < half.input.size()) {
                    half.read();
                }
                half.watermark(WINDOWS * WINDOW);
                while (half.replica.readMessage()) {
                    said = true;
                }
                half.beginCheckpoint(100);
                half.completeCheckpoint();
                said |= half.replica.unsettled() > 0;
            }
            idle = said ? 0 : idle + 1;
        }
    }

    void check() {
        Map<Long, Map<Long, Long>> union = new TreeMap<>();
        for (Half half : List.of(a, b)) {
            half.seen()
                    .forEach(
                            (window, all) ->
                                    all.forEach(
                                            (id, copies) ->
                                                    union.computeIfAbsent(
                                                                    window, w -> new TreeMap<>())
                                                            .merge(id, copies, Math::max)));
        }
        boolean exact = !a.hasLostState && !b.hasLostState;
        check(a, union, exact);
        check(b, union, exact);
        if (kind.agrees()) {
            assertThat(a.replica.finals()).isEqualTo(union);
            assertThat(b.replica.finals()).isEqualTo(union);
        }
    }

    private void check(Half half, Map<Long, Map<Long, Long>> union, boolean exact) {
        Map<Long, Map<Long, Long>> seen = half.seen();
        Map<Long, String> outcomes = new HashMap<>();
        for (WindowReport report : half.replica.reports()) {
            String before = outcomes.put(report.window(), report.outcome());
            if (!half.hasLostState) {
                assertThat(before).as("one report a window").isNull();
            }
            if (kind.agrees()) {
                assertThat(report.outcome()).isEqualTo(Outcome.AGREED.name());
            }
        }
        boolean isSure = kind.agrees() || kind == Kind.STATE_IS_LOST;
        assertThat(outcomes.keySet())
                .as("what either side saw is reported")
                .containsAll(isSure ? union.keySet() : seen.keySet());
        half.replica
                .finals()
                .forEach((window, last) -> checkWindow(half, seen, union, exact, window, last));
        if (exact) {
            outcomes.forEach(
                    (window, outcome) -> {
                        if (outcome.equals(Outcome.AGREED.name())) {
                            assertThat(half.replica.finals().get(window))
                                    .as("agreed about %d", window)
                                    .isEqualTo(union.getOrDefault(window, Map.of()));
                        }
                    });
        }
    }

    /** What this side ends with: its own records and the repairs that it was given. */
    private static void checkWindow(
            Half half,
            Map<Long, Map<Long, Long>> seen,
            Map<Long, Map<Long, Long>> union,
            boolean exact,
            long window,
            Map<Long, Long> last) {
        Map<Long, Long> repaired = new TreeMap<>(seen.getOrDefault(window, Map.of()));
        half.replica
                .repairs()
                .getOrDefault(window, Map.of())
                .forEach((id, copies) -> repaired.merge(id, copies, Long::sum));
        assertThat(last).as("own records and repairs of %d", window).isEqualTo(repaired);
        if (exact) {
            last.forEach(
                    (id, copies) ->
                            assertThat(union.get(window))
                                    .hasEntrySatisfying(
                                            id,
                                            most -> assertThat(copies).isLessThanOrEqualTo(most)));
        }
    }
}
