/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeduplicationTruthTest {

    private static final long WINDOW = 1_000;

    private final DeduplicationTruth<String> truth =
            new DeduplicationTruth<>(Duration.ofMillis(WINDOW));

    private record Sent(String id, long time) {}

    @Test
    void anExactDeduplicationHolds() {
        List<Sent> passed = new ArrayList<>();
        deduplicate(passed);
        passed.forEach(record -> truth.out(record.id(), record.time()));

        DeduplicationTruth.Verdict verdict = truth.judge(0);
        assertThatCode(verdict::require).doesNotThrowAnyException();
        assertThat(verdict.out()).isEqualTo(passed.size());
    }

    @Test
    void eachFaultIsFound() {
        List<Sent> passed = new ArrayList<>();
        List<Sent> dropped = deduplicate(passed);
        Sent lost = passed.stream().filter(record -> countOf(record, passed) == 1).findAny().get();
        passed.remove(lost);
        passed.add(dropped.get(0));
        passed.forEach(record -> truth.out(record.id(), record.time()));
        truth.out("nobody", 7);

        DeduplicationTruth.Verdict verdict = truth.judge(0);
        assertThat(verdict.passedTwice()).isPositive();
        assertThat(verdict.lost()).isEqualTo(1);
        assertThat(verdict.invented()).isEqualTo(1);
        assertThat(verdict.holds()).isFalse();
        assertThatThrownBy(verdict::require)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 lost (at most 0 allowed), 1 invented; [");
    }

    @Test
    void asManyAreAllowedToBeLostAsTheProbabilitySays() {
        for (int i = 0; i < 1_000_000; i++) {
            truth.in("id" + i, i);
            if (i % 1_000 != 0) {
                truth.out("id" + i, i);
            }
        }
        assertThat(truth.judge(1e-3).holds()).isTrue();
        assertThat(truth.judge(1e-3).mayBeLost()).isBetween(1_150L, 1_250L);
        assertThat(truth.judge(1e-4).holds()).isFalse();
        assertThat(truth.judge(0).mayBeLost()).isZero();
        assertThat(truth.judge(1e-9).mayBeLost()).isBetween(1L, 4L);
    }

    @Test
    void whatIsLostTogetherCountsOnce() {
        truth.in("a", 0);
        truth.in("a", WINDOW);
        truth.in("a", 3 * WINDOW);
        assertThat(truth.judge(0).lost()).isEqualTo(2);
    }

    @Test
    void anIdMayBeHeldForTwiceTheWindow() {
        truth.in("a", 0);
        truth.out("a", 0);
        truth.in("a", 2 * WINDOW);
        assertThat(truth.judge(0).holds()).isTrue();
        truth.in("a", 2 * WINDOW + 1);
        assertThat(truth.judge(0).lost()).isEqualTo(1);
    }

    @Test
    void timesAtTheExtremesAreFarApart() {
        truth.in("a", Long.MIN_VALUE);
        truth.in("a", Long.MAX_VALUE);
        truth.out("a", Long.MIN_VALUE);
        assertThat(truth.judge(0).lost()).isEqualTo(1);
        truth.out("a", Long.MAX_VALUE);
        assertThat(truth.judge(0).holds()).isTrue();
    }

    /**
     * Small numbers, where equal times and times exactly a window apart are common, and huge ones.
     */
    @Test
    void theVerdictIsThatOfTheDefinitions() {
        SplittableRandom random = Seeds.random();
        long[] windows = {1, 3, WINDOW, Long.MAX_VALUE / 2, Long.MAX_VALUE / 2 + 1, Long.MAX_VALUE};
        for (int round = 0; round < 20_000; round++) {
            long window = windows[random.nextInt(windows.length)];
            DeduplicationTruth<String> judge = new DeduplicationTruth<>(Duration.ofMillis(window));
            List<Long> in = times(random, window);
            List<Long> out = times(random, window);
            out.addAll(in.subList(0, random.nextInt(in.size() + 1)));
            in.forEach(time -> judge.in("a", time));
            out.forEach(time -> judge.out("a", time));

            DeduplicationTruth.Verdict verdict = judge.judge(0);
            String given = "window " + window + ", in " + in + ", out " + out;
            assertThat(verdict.passedTwice() > 0).as(given).isEqualTo(passedTwice(out, window));
            assertThat(verdict.lost() > 0).as(given).isEqualTo(lost(in, out, window));
            assertThat(verdict.invented()).as(given).isEqualTo(invented(in, out));
        }
    }

    private static List<Long> times(SplittableRandom random, long window) {
        List<Long> times = new ArrayList<>();
        for (int left = random.nextInt(5); left > 0; left--) {
            switch (random.nextInt(8)) {
                case 0 -> times.add(Long.MIN_VALUE + random.nextInt(2));
                case 1 -> times.add(Long.MAX_VALUE - random.nextInt(2));
                case 2 -> times.add(window);
                case 3 -> times.add(-window);
                default -> times.add((long) random.nextInt(12));
            }
        }
        return times;
    }

    private static boolean passedTwice(List<Long> out, long window) {
        for (int i = 0; i < out.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (distance(out.get(i), out.get(j)).compareTo(BigInteger.valueOf(window)) <= 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean lost(List<Long> in, List<Long> out, long window) {
        BigInteger held = BigInteger.valueOf(window).shiftLeft(1);
        return in.stream()
                .anyMatch(
                        time ->
                                out.stream()
                                        .noneMatch(
                                                passed ->
                                                        distance(time, passed).compareTo(held)
                                                                <= 0));
    }

    private static long invented(List<Long> in, List<Long> out) {
        List<Long> left = new ArrayList<>(in);
        return out.stream().filter(time -> !left.remove(time)).count();
    }

    private static BigInteger distance(long one, long other) {
        return BigInteger.valueOf(one).subtract(BigInteger.valueOf(other)).abs();
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> new DeduplicationTruth<String>(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> truth.judge(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Sends random records in order, fills in what passes, and returns what does not. */
    private List<Sent> deduplicate(List<Sent> passed) {
        SplittableRandom random = Seeds.random();
        Map<String, Long> last = new HashMap<>();
        List<Sent> dropped = new ArrayList<>();
        for (long time = 0; time < 20 * WINDOW; time += random.nextInt(4)) {
            Sent record = new Sent("id" + random.nextInt(3_000), time);
            truth.in(record.id(), time);
            if (time - last.getOrDefault(record.id(), -2 * WINDOW) > WINDOW) {
                last.put(record.id(), time);
                passed.add(record);
            } else {
                dropped.add(record);
            }
        }
        return dropped;
    }

    private static long countOf(Sent record, List<Sent> all) {
        return all.stream().filter(other -> other.id().equals(record.id())).count();
    }
}
