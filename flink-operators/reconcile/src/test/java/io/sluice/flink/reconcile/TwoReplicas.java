/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Setup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Two replicas, what they see, and the line between them. */
final class TwoReplicas {

    private static final long WINDOW = 1000;
    static final int WINDOWS = 4;

    private static ReconcileSettings settings(
            String replica, DifferenceMethod method, double fpp, int messageBytes) {
        return new ReconcileSettings(
                new Setup(WINDOW, 1, 1, 7),
                replica,
                replica.equals("a") ? "b" : "a",
                method,
                fpp,
                4,
                1 << 20,
                0,
                10,
                messageBytes,
                1 << 20,
                100,
                1000,
                3_600_000,
                false);
    }

    /** What may happen to a message, each with this probability. */
    record Line(double lost, double twice, double damaged, double swapped) {}

    private static final Line GOOD = new Line(0, 0, 0, 0);

    /** What happens to one message. */
    enum OneFault {
        LOST {
            @Override
            void send(byte[] message, List<byte[]> log) {}
        },
        TWICE {
            @Override
            void send(byte[] message, List<byte[]> log) {
                log.add(message);
                log.add(message);
            }
        },
        DAMAGED {
            @Override
            void send(byte[] message, List<byte[]> log) {
                byte[] damaged = message.clone();
                damaged[damaged.length / 2] ^= 1;
                log.add(damaged);
            }
        },
        OF_ANOTHER_VERSION {
            @Override
            void send(byte[] message, List<byte[]> log) {
                log.add(MessagesTest.ofVersion(5, message));
            }
        };

        abstract void send(byte[] message, List<byte[]> log);
    }

    private final SplittableRandom random;
    final List<byte[]> toA = new ArrayList<>();
    final List<byte[]> toB = new ArrayList<>();
    final List<Replica.Event> inputA = new ArrayList<>();
    final List<Replica.Event> inputB = new ArrayList<>();
    final Replica a;
    final Replica b;
    Line line = GOOD;

    /** What happens to the message with this number, counted over both directions. */
    int faultyMessage = -1;

    OneFault fault = OneFault.LOST;

    /** What becomes of each message. */
    UnaryOperator<byte[]> change = UnaryOperator.identity();

    int messages;

    TwoReplicas(long seed, DifferenceMethod method, double fpp, int ids, double faults) {
        random = new SplittableRandom(seed);
        for (int window = 0; window < WINDOWS; window++) {
            for (int i = 0; i < ids; i++) {
                Replica.Event event =
                        new Replica.Event(
                                random.nextInt(4 * ids), window * WINDOW + i * WINDOW / ids);
                copy(event, faults, inputA);
                copy(event, faults, inputB);
            }
        }
        // Small enough for repairs in several parts.
        int messageBytes = 4096 + ids * 4;
        a = new Replica(settings("a", method, fpp, messageBytes), inputA, toA, m -> send(m, toB));
        DifferenceMethod other = random.nextBoolean() ? method : DifferenceMethod.QUERY;
        b = new Replica(settings("b", other, fpp, messageBytes), inputB, toB, m -> send(m, toA));
    }

    private void copy(Replica.Event event, double faults, List<Replica.Event> input) {
        double fate = random.nextDouble();
        if (fate >= faults) {
            input.add(event);
        }
        if (fate > 1 - faults) {
            input.add(event);
        }
    }

    private void send(byte[] original, List<byte[]> log) {
        byte[] message = change.apply(original);
        if (messages++ == faultyMessage) {
            fault.send(message, log);
            return;
        }
        if (random.nextDouble() < line.lost) {
            return;
        }
        byte[] sent = message;
        if (random.nextDouble() < line.damaged) {
            sent = message.clone();
            sent[random.nextInt(sent.length)] ^= (byte) (1 + random.nextInt(255));
        }
        log.add(sent);
        if (random.nextDouble() < line.twice) {
            log.add(sent);
        }
    }

    /** Messages that nobody has read yet may still change places. */
    private void swap(Replica reader, List<byte[]> log) {
        int unread = reader.unread();
        if (unread >= 2 && random.nextDouble() < line.swapped) {
            int i = log.size() - 1 - random.nextInt(unread);
            int j = log.size() - 1 - random.nextInt(unread);
            byte[] moved = log.get(i);
            log.set(i, log.get(j));
            log.set(j, moved);
        }
    }

    void step(Replica replica, double deaths) throws Exception {
        swap(replica, replica == a ? toA : toB);
        switch (random.nextInt(6)) {
            case 0 -> {
                for (int i = random.nextInt(40); i > 0; i--) {
                    replica.readRecord();
                }
            }
            case 1 -> replica.advanceWatermark(replica.hasReadAll());
            case 2 -> replica.readMessage();
            case 3 -> replica.beginCheckpoint(random.nextInt(20));
            case 4 -> {
                if (random.nextInt(8) == 0) {
                    replica.failCheckpoint();
                } else {
                    replica.completeCheckpoint();
                }
            }
            default -> {
                if (random.nextDouble() < deaths) {
                    replica.kill();
                }
            }
        }
    }

    /** Runs until both have nothing left to say. */
    void calm() throws Exception {
        line = GOOD;
        int idle = 0;
        for (int turn = 0; idle < 3; turn++) {
            assertThat(turn).as("turns until both agree").isLessThan(2000);
            boolean said = false;
            for (Replica replica : List.of(a, b)) {
                while (replica.readRecord()) {
                    said = true;
                }
                replica.advanceWatermark(true);
                while (replica.readMessage()) {
                    said = true;
                }
                replica.beginCheckpoint(100);
                replica.completeCheckpoint();
                said |= replica.unsettled() > 0;
            }
            idle = said ? 0 : idle + 1;
        }
    }

    /** One after another, as fast as they can; each call makes one more step. */
    void scriptedStep(int step) throws Exception {
        Replica replica = step / 4 % 2 == 0 ? a : b;
        switch (step % 4) {
            case 0 -> {
                while (replica.readRecord()) {}
                replica.advanceWatermark(true);
            }
            case 1 -> {
                while (replica.readMessage()) {}
            }
            case 2 -> replica.beginCheckpoint(1);
            default -> replica.completeCheckpoint();
        }
    }

    void checkUnion() {
        Map<Long, Map<Long, Long>> seenA = multisets(inputA);
        Map<Long, Map<Long, Long>> seenB = multisets(inputB);
        Map<Long, Map<Long, Long>> union = new TreeMap<>();
        for (Map<Long, Map<Long, Long>> seen : List.of(seenA, seenB)) {
            seen.forEach(
                    (window, elements) ->
                            elements.forEach(
                                    (hash, copies) ->
                                            union.computeIfAbsent(window, w -> new TreeMap<>())
                                                    .merge(hash, copies, Math::max)));
        }
        assertThat(a.lateRecords() + b.lateRecords()).isZero();
        check(a, seenA, union);
        check(b, seenB, union);
    }

    private static void check(
            Replica replica, Map<Long, Map<Long, Long>> seen, Map<Long, Map<Long, Long>> union) {
        assertThat(replica.finals()).isEqualTo(union);
        assertThat(replica.reports())
                .hasSize(union.size())
                .allSatisfy(
                        report -> assertThat(report.outcome()).isEqualTo(Outcome.AGREED.name()));
        Map<Long, Map<Long, Long>> repaired = new TreeMap<>();
        seen.forEach((window, elements) -> repaired.put(window, new HashMap<>(elements)));
        replica.repairs()
                .forEach(
                        (window, elements) ->
                                elements.forEach(
                                        (hash, copies) ->
                                                repaired.computeIfAbsent(
                                                                window, w -> new HashMap<>())
                                                        .merge(hash, copies, Long::sum)));
        assertThat(repaired).as("own records and repairs").isEqualTo(union);
        assertThat(replica.elementsKept()).as("elements kept after agreement").isZero();
    }

    static Map<Long, Map<Long, Long>> multisets(List<Replica.Event> input) {
        Map<Long, Map<Long, Long>> sets = new TreeMap<>();
        for (Replica.Event event : input) {
            sets.computeIfAbsent(
                            event.timestamp() - event.timestamp() % WINDOW, w -> new TreeMap<>())
                    .merge(Hashing.hash(event.id()), event.copies(), Long::sum);
        }
        return sets;
    }
}
