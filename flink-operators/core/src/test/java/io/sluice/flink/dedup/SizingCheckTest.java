/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;

class SizingCheckTest {

    private static final MemorySize QUARTER_GIG = MemorySize.ofMebiBytes(256);

    private static WindowSettings settings(
            Duration window, double fpp, long rate, MemorySize memory) {
        return new WindowSettings(
                window,
                fpp,
                rate,
                memory,
                OverflowPolicy.FORGET_OLDEST,
                TimeDomain.EVENT,
                false,
                0,
                null,
                false,
                null,
                null);
    }

    /** 1.08 billion ids, which take 5.4 bytes each, in a quarter of a gigabyte. */
    private static WindowSettings tooMuch() {
        return settings(Duration.ofHours(6), 1e-6, 50_000, QUARTER_GIG);
    }

    @Test
    void theNeedIsThatOfTheFiltersThemselves() {
        WindowSettings settings = settings(Duration.ofMinutes(10), 1e-6, 50_000, QUARTER_GIG);
        WindowOptions keyGroup =
                WindowOptions.builder()
                        .windowMillis(settings.windowMillis())
                        .falsePositiveProbability(1e-6)
                        .expectedPerWindow(settings.idsPerWindowAndKeyGroup(128))
                        .build();

        long one = ForgetfulFilter.expectedBytes(keyGroup);

        assertThat(new SizingCheck(settings, 1, 128).bytesNeeded()).isEqualTo(128 * one);
        assertThat(new SizingCheck(settings, 4, 128).bytesNeeded()).isEqualTo(32 * one);
        assertThat(new SizingCheck(settings, 3, 128).bytesNeeded()).isEqualTo(43 * one);
    }

    @Test
    void aNeedFarBeyondASingleTableIsANumberToo() {
        WindowSettings huge = settings(Duration.ofDays(3650), 1e-6, 1_000_000, QUARTER_GIG);
        double ids = 3650 * 86_400.0 * 1e6;

        double bytes = new SizingCheck(huge, 1, 1).bytesNeeded();

        assertThat(bytes / ids).isCloseTo(5.4, within(0.3));
        WindowSettings absurd = settings(Duration.ofDays(3650), 1e-12, Long.MAX_VALUE, QUARTER_GIG);
        assertThat(new SizingCheck(absurd, 1, 1).bytesNeeded()).isEqualTo(Long.MAX_VALUE);
        assertThat(new SizingCheck(absurd, 1, 1).warning("'x'")).isPresent();
    }

    @Test
    void sixHoursOfFiftyThousandIdsASecondDoNotFitAndTheWindowThatDoesIsSaid() {
        SizingCheck check = new SizingCheck(tooMuch(), 4, 128);

        assertThat(check.fits()).isFalse();
        assertThat(check.bytesNeeded() / 1e9).isCloseTo(5.84 / 4, within(0.1));
        String warning = check.warning("'dedup'").orElseThrow();
        assertThat(warning)
                .contains("'dedup'", "50,000", "6 h 0 min", "1.0E-6", "1.4 gb", "256 mb")
                .contains("each of 4 subtasks", "fits at this rate", "FORGET_OLDEST");

        long window = check.windowMillisThatFits();
        long rate = check.idsPerSecondThatFit();
        assertThat(fits(window, 50_000)).isTrue();
        assertThat(fits(window + window / 100, 50_000)).isFalse();
        assertThat(fits(tooMuch().windowMillis(), rate)).isTrue();
        assertThat(fits(tooMuch().windowMillis(), rate + rate / 100)).isFalse();
    }

    private static boolean fits(long windowMillis, long rate) {
        WindowSettings changed = settings(Duration.ofMillis(windowMillis), 1e-6, rate, QUARTER_GIG);
        return new SizingCheck(changed, 4, 128).fits();
    }

    @Test
    void memoryBelowTheSmallestFiltersOfAllKeyGroupsIsSaid() {
        WindowSettings settings =
                settings(Duration.ofHours(1), 1e-6, 10_000, MemorySize.ofMebiBytes(1));

        assertThat(new SizingCheck(settings, 1, 1 << 15).warning("'x'").orElseThrow())
                .contains("smallest filters", "32768 key groups", "1 mb");
        assertThat(new SizingCheck(settings, 1, 16).warning("'x'").orElseThrow())
                .doesNotContain("smallest filters");
    }

    @Test
    void oneKeyGroupAlwaysFitsIntoTheLeastMemory() {
        WindowSettings strictest =
                settings(
                        WindowSettings.MAX_WINDOW,
                        WindowOptions.MIN_FPP,
                        1_000_000,
                        WindowSettings.MIN_MEMORY);

        assertThat(new SizingCheck(strictest, 1, 1).leastBytes())
                .isLessThan(WindowSettings.MIN_MEMORY.getBytes());
    }

    @Test
    void theSmallestFilterTakesABitMoreThanAKibibyteAtTheDefaultProbability() {
        WindowSettings settings = settings(Duration.ofDays(365), 1e-6, 1_000_000_000, QUARTER_GIG);

        assertThat(new SizingCheck(settings, 1, 1).leastBytes()).isLessThan(1_400);
        assertThat(new SizingCheck(settings, 1, 1 << 15).leastBytes())
                .isBetween(39L << 20, 41L << 20);
    }

    @Test
    void numbersThatFitAreNotWarnedOf() {
        WindowSettings settings = settings(Duration.ofMinutes(10), 1e-6, 50_000, QUARTER_GIG);

        assertThat(new SizingCheck(settings, 1, 128).warning("'x'")).isEmpty();
    }

    @Test
    void theNumbersOfTheReadmeFitAtAnyParallelism() throws Exception {
        String readme = Files.readString(Path.of("../../README.md"));
        int start = readme.indexOf("Deduplicate.by(");
        String snippet = readme.substring(start, readme.indexOf(".apply(", start));
        long hours = Long.parseLong(find("within\\(Duration\\.ofHours\\((\\d+)\\)\\)", snippet));
        double fpp = Double.parseDouble(find("falsePositiveProbability\\(([^)]+)\\)", snippet));
        long rate = Long.parseLong(find("expecting\\(([\\d_]+)\\)", snippet).replace("_", ""));
        MemorySize memory = MemorySize.parse(find("MemorySize\\.parse\\(\"(\\w+)\"", snippet));
        WindowSettings settings = settings(Duration.ofHours(hours), fpp, rate, memory);

        for (int parallelism : new int[] {1, 2, 4, 16, 100}) {
            SizingCheck check = new SizingCheck(settings, parallelism, 128);
            assertThat(check.warning("README, parallelism " + parallelism)).isEmpty();
        }
        double said = Double.parseDouble(find("takes (\\d+) MB", snippet));
        assertThat(new SizingCheck(settings, 1, 128).bytesNeeded() / 1e6)
                .isCloseTo(said, withinPercentage(5));
    }

    private static String find(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }
}
