/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.Attempts.address;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.flow.Attempt;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The operator against {@link PlainWatch}, over random histories of attempts out of order,
 * watermarks, failures, drains, restores with another parallelism, timestamps and watermarks of
 * other years; and with too little room.
 */
class AttackRandomTest {

    private static final int HISTORIES = 12;
    private static final long MILLIS = 40_000;
    private static final long YEAR = Duration.ofDays(365).toMillis();

    /** One history. */
    private static final class History {
        private final SplittableRandom random;
        private final AttackKind kind;
        private final AttackSettings settings;
        private final boolean drains;
        private final boolean jumps;
        private final Subtasks<Long, Tally, AttackAlert> stream;
        private final List<AttackAlert> committed = new ArrayList<>();
        private final List<AttackAlert> uncommitted = new ArrayList<>();
        private final int mostSubtasks;
        private int wild;

        History(SplittableRandom random, AttackKind kind, boolean drains, boolean jumps) {
            this.random = random;
            this.kind = kind;
            this.drains = drains;
            this.jumps = jumps;
            settings =
                    new AttackSettings(
                            kind,
                            Duration.ofMillis(500 + random.nextInt(3_000)),
                            6 + random.nextInt(10),
                            0.25,
                            Duration.ofSeconds(4 + random.nextInt(4)),
                            50_000,
                            false);
            int maxParallelism = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(200);
            mostSubtasks = Math.min(maxParallelism, 5);
            stream = new Subtasks<>(Tally::key, Types.LONG, maxParallelism, Backends.HASHMAP);
        }

        private void restart() throws Exception {
            stream.start(1 + random.nextInt(mostSubtasks), () -> new AttackOperator(settings));
        }

        private void add(Attempt attempt) throws Exception {
            assertThat(stream.process(Attempts.tally(kind, attempt), attempt.millis())).isEmpty();
        }

        /** Alerts leave before the watermark, and not behind the previous one. */
        private void advance(long to, long from) throws Exception {
            for (var harness : stream.harnesses()) {
                harness.getOutput().clear();
                harness.processWatermark(to);
                long forwarded = from;
                for (Object each : harness.getOutput()) {
                    if (each instanceof Watermark mark) {
                        forwarded = mark.getTimestamp();
                    } else {
                        StreamRecord<?> alert = (StreamRecord<?>) each;
                        assertThat(alert.getTimestamp()).isGreaterThan(forwarded);
                        uncommitted.add((AttackAlert) alert.getValue());
                    }
                }
            }
        }

        private void checkpoint() throws Exception {
            stream.snapshot();
            committed.addAll(uncommitted);
            uncommitted.clear();
        }

        /** What came after the last checkpoint comes again when it fails. */
        private void run(List<Attempt> attempts, int disorderMillis) throws Exception {
            restart();
            checkpoint();
            int saved = 0;
            long watermark = Long.MIN_VALUE;
            long savedWatermark = Long.MIN_VALUE;
            for (int next = 0; next < attempts.size(); next++) {
                Attempt each = attempts.get(next);
                add(each);
                int dice = random.nextInt(1_000);
                if (dice < 50) {
                    long to = leastOf(attempts, next, disorderMillis) - 1;
                    if (to > watermark) {
                        advance(to, watermark);
                        watermark = to;
                    }
                } else if (dice < 56) {
                    checkpoint();
                    saved = next + 1;
                    savedWatermark = watermark;
                } else if (dice < 58) {
                    uncommitted.clear();
                    restart();
                    next = saved - 1;
                    // The first watermark of a restarted source may be a little lower.
                    watermark = Long.MIN_VALUE;
                    if (savedWatermark != Long.MIN_VALUE && random.nextBoolean()) {
                        long lower = savedWatermark - random.nextInt(300);
                        advance(lower, watermark);
                        watermark = lower;
                    }
                } else if (dice < 60 && drains) {
                    advance(Long.MAX_VALUE, watermark);
                    assertThat(stream.endInput()).isEmpty();
                    checkpoint();
                    saved = next + 1;
                    savedWatermark = watermark;
                    restart();
                    watermark = Long.MIN_VALUE;
                } else if (dice < 62 && jumps) {
                    wild++;
                    long other = each.millis() + YEAR * (1 + random.nextInt(50));
                    add(Attempts.started(address(70_000 + wild), address(wild), 80, other));
                }
            }
            advance(attempts.get(attempts.size() - 1).millis() + MILLIS, watermark);
            checkpoint();
        }

        /** No attempt from {@code next} on is earlier. */
        private static long leastOf(List<Attempt> attempts, int next, int disorderMillis) {
            return attempts.get(next).millis() - disorderMillis;
        }
    }

    /** By time, with a disorder of at most {@code disorderMillis}. */
    private static List<Attempt> disordered(
            SplittableRandom random, List<Attempt> attempts, int disorderMillis) {
        Map<Attempt, Long> arrival = new HashMap<>();
        List<Attempt> shuffled = new ArrayList<>(attempts);
        shuffled.forEach(
                each -> arrival.put(each, each.millis() + random.nextInt(disorderMillis / 2)));
        shuffled.sort(Comparator.comparingLong(arrival::get));
        return shuffled;
    }

    private static int check(long seed, AttackKind kind, boolean drains, boolean jumps)
            throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        History history = new History(random, kind, drains, jumps);
        try {
            List<Attempt> attempts = Attempts.bursts(random, 60, MILLIS);
            if (drains) {
                // What partly looks like an attack is one in the end: a drain at most reports it
                // early.
                attempts.removeIf(each -> each.kind() != Attempt.Kind.STARTED);
            }
            int disorder = 2 + random.nextInt(1_500);
            history.run(disordered(random, attempts, disorder), disorder);
            List<AttackAlert> expected =
                    new PlainWatch(history.settings).alerts(attempts, 3 * MILLIS);
            assertThat(history.stream.gaugeSum(AttackMetrics.LATE)).isZero();
            assertThat(history.committed)
                    .as(Seeds.describe(seed))
                    .usingElementComparator((a, b) -> same(a, b, drains) ? 0 : 1)
                    .containsExactlyInAnyOrderElementsOf(expected);
            return expected.size();
        } catch (AssertionError | Exception e) {
            throw new AssertionError(Seeds.describe(seed), e);
        } finally {
            history.stream.close();
        }
    }

    /**
     * Equal except for the estimate of a scan, and for what a drain reports about a partial attack.
     */
    private static boolean same(AttackAlert one, AttackAlert other, boolean drains) {
        if (one.raised() != other.raised()
                || !one.address().equals(other.address())
                || one.port() != other.port()) {
            return false;
        }
        if (drains && one.raised()) {
            return one.millis() >= other.millis() - 10_000 && one.attempts() <= 10_000;
        }
        boolean near = Math.abs(one.targets() - other.targets()) <= 0.25 * other.targets();
        return near
                && one.attempts() == other.attempts()
                && one.completed() == other.completed()
                && one.refused() == other.refused()
                && one.firstMillis() == other.firstMillis()
                && one.millis() == other.millis();
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatAPlainModelSaysOverFailuresRescalingAndWildTimestamps(AttackKind kind)
            throws Exception {
        int total = 0;
        for (int i = 0; i < HISTORIES; i++) {
            total += check(Seeds.seed(i), kind, false, true);
        }
        assertThat(total).isGreaterThan(10 * HISTORIES);
    }

    @ParameterizedTest
    @EnumSource
    void endsAndNumbersAreThoseOfAPlainModelOverDrainsToo(AttackKind kind) throws Exception {
        int total = 0;
        for (int i = 0; i < HISTORIES; i++) {
            total += check(Seeds.seed(i), kind, true, true);
        }
        assertThat(total).isGreaterThan(10 * HISTORIES);
    }

    @ParameterizedTest
    @EnumSource
    void aWildWatermarkChangesNothingThatComesAfterARestart(AttackKind kind) throws Exception {
        int total = 0;
        for (int i = 0; i < HISTORIES; i++) {
            long seed = Seeds.seed(i);
            SplittableRandom random = new SplittableRandom(seed);
            History history = new History(random, kind, false, true);
            try {
                history.run(Attempts.bursts(random, 30, MILLIS), 2);
                history.advance(YEAR * (1 + random.nextInt(50)), 2 * MILLIS);
                history.checkpoint();
                history.committed.clear();
                List<Attempt> attempts = later(Attempts.bursts(random, 30, MILLIS), 4 * MILLIS);
                int disorder = 2 + random.nextInt(1_500);
                history.run(disordered(random, attempts, disorder), disorder);
                List<AttackAlert> expected =
                        new PlainWatch(history.settings).alerts(attempts, 8 * MILLIS);
                assertThat(history.committed)
                        .as(Seeds.describe(seed))
                        .usingElementComparator((a, b) -> same(a, b, false) ? 0 : 1)
                        .containsExactlyInAnyOrderElementsOf(expected);
                total += expected.size();
            } finally {
                history.stream.close();
            }
        }
        assertThat(total).isGreaterThan(5 * HISTORIES);
    }

    private static List<Attempt> later(List<Attempt> attempts, long byMillis) {
        return attempts.stream()
                .map(
                        each ->
                                new Attempt(
                                        each.kind(),
                                        each.source(),
                                        each.target(),
                                        each.port(),
                                        each.millis() + byMillis))
                .toList();
    }

    @Test
    void beyondTheRoomLargeFloodsAreFoundOnceEachAndMemoryIsBounded() throws Exception {
        for (int i = 0; i < HISTORIES; i++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(i));
            List<Attempt> attempts = new ArrayList<>();
            for (int flood = 0; flood < 20; flood++) {
                attempts.addAll(Attempts.flood(address(flood), 80, 200, random.nextLong(MILLIS)));
            }
            for (int made = 0; made < 8_000; made++) {
                attempts.add(
                        Attempts.started(
                                address(1), address(1_000 + made), 81, random.nextLong(MILLIS)));
            }
            attempts.sort(Comparator.comparingLong(Attempt::millis));
            AttackSettings settings =
                    new AttackSettings(
                            AttackKind.SYN_FLOOD,
                            Duration.ofSeconds(2),
                            100,
                            0.25,
                            Duration.ofSeconds(MILLIS / 1_000),
                            1,
                            false);
            Subtasks<Long, Tally, AttackAlert> stream =
                    new Subtasks<>(Tally::key, Types.LONG, 128, Backends.HASHMAP);
            List<AttackAlert> alerts = new ArrayList<>();
            try {
                stream.start(1, () -> new AttackOperator(settings));
                long lag = random.nextLong(8_000);
                for (int next = 0; next < attempts.size(); next++) {
                    Attempt each = attempts.get(next);
                    stream.process(Attempts.tally(AttackKind.SYN_FLOOD, each), each.millis());
                    if (next % 200 == 0) {
                        alerts.addAll(stream.advance(each.millis() - lag));
                    }
                    if (random.nextInt(3_000) == 0) {
                        stream.snapshot();
                        stream.start(1, () -> new AttackOperator(settings));
                        assertThat(stream.gaugeSum(AttackMetrics.TALLIES)).isLessThan(257);
                    }
                }
                alerts.addAll(stream.advance(3 * MILLIS));
                assertThat(stream.gaugeSum(AttackMetrics.FORGOTTEN)).isPositive();
            } finally {
                stream.close();
            }
            assertThat(alerts.stream().filter(AttackAlert::raised))
                    .extracting(AttackAlert::address)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 20).mapToObj(Attempts::address).toList());
            assertThat(alerts).hasSize(40);
        }
    }

    @Test
    @Tag("long")
    void holdsOverThousandsOfHistories() throws Exception {
        for (int i = 0; i < 3_000; i++) {
            AttackKind kind = i % 2 == 0 ? AttackKind.SYN_FLOOD : AttackKind.SCAN;
            assertThat(check(Seeds.seed(i), kind, i % 4 < 2, i % 3 > 0)).isNotNegative();
        }
    }
}
