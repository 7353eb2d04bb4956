/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeSizing;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.dedup.Deduplicator;
import io.sluice.flink.dedup.SizingCheck;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanTest {

    private static final int PLANS = 60;

    private static WindowSettings settings(Duration window, double fpp, long rate, long memory) {
        return new WindowSettings(
                window,
                fpp,
                rate,
                new MemorySize(memory),
                OverflowPolicy.FORGET_OLDEST,
                TimeDomain.EVENT,
                false,
                16384,
                null,
                false,
                null,
                null);
    }

    private static WindowSettings random(SplittableRandom random) {
        double fpp = Math.pow(10, -1 - 9 * random.nextDouble());
        long rate = (long) Math.pow(10, 1 + 5 * random.nextDouble());
        long millis = (long) Math.pow(10, 3 + 5 * random.nextDouble());
        return settings(Duration.ofMillis(millis), fpp, rate, 1 << 20);
    }

    private static WindowPlan find(WindowPlan from, Find find) {
        WindowSettings settings =
                settings(
                        Duration.ofMillis(from.windowMillis()),
                        from.falsePositiveProbability(),
                        from.idsPerSecond(),
                        from.memoryBytes());
        return WindowPlan.find(settings, from.parallelism(), from.maxParallelism(), find, 0, 450);
    }

    @Test
    void contentsTakeTwoEntriesOfEachId() {
        WindowSettings plain = settings(Duration.ofHours(1), 1e-6, 10_000, 1 << 20);
        WindowPlan without = WindowPlan.find(plain, 1, 128, Find.MEMORY, 0, 450);
        WindowPlan with = WindowPlan.find(plain.withContents(true), 1, 128, Find.MEMORY, 0, 450);
        assertThat((double) with.neededBytes() / without.neededBytes()).isBetween(1.9, 2.3);
        assertThat(with.falsePositiveProbability()).isEqualTo(1e-6);
        assertThat(with.maxFalsePositiveProbability())
                .isEqualTo(without.maxFalsePositiveProbability());
        assertThat(with.idsPerSecond()).isEqualTo(10_000);
    }

    @Test
    void whatIsFoundForAMemoryNeedsThatMemoryAndNoMore() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < PLANS; i++) {
            int parallelism = 1 + random.nextInt(20);
            WindowPlan plan =
                    WindowPlan.find(random(random), parallelism, 128, Find.MEMORY, 0, 450);
            String as = Seeds.describe(i) + ": " + plan;
            assertThat(plan.fits()).as(as).isTrue();
            assertThat(plan.neededBytes()).as(as).isLessThanOrEqualTo(plan.memoryBytes());
            assertThat(plan.memoryBytes() - plan.neededBytes()).as(as).isLessThanOrEqualTo(1 << 20);

            WindowPlan window = find(plan, Find.WINDOW);
            assertThat(window.windowMillis()).as(as).isGreaterThanOrEqualTo(plan.windowMillis());
            assertThat(find(window, Find.MEMORY).memoryBytes())
                    .as(as)
                    .isEqualTo(plan.memoryBytes());

            WindowPlan rate = find(plan, Find.RATE);
            assertThat(rate.idsPerSecond()).as(as).isGreaterThanOrEqualTo(plan.idsPerSecond());
            assertThat(find(rate, Find.MEMORY).memoryBytes()).as(as).isEqualTo(plan.memoryBytes());

            WindowPlan fpp = find(plan, Find.FPP);
            assertThat(fpp.fits()).as(as).isTrue();
            assertThat(fpp.falsePositiveProbability())
                    .as(as)
                    .isLessThanOrEqualTo(1.01 * plan.falsePositiveProbability());

            WindowPlan subtasks = find(plan, Find.PARALLELISM);
            assertThat(subtasks.fits()).as(as).isTrue();
            assertThat(subtasks.parallelism()).as(as).isLessThanOrEqualTo(parallelism);
        }
    }

    @Test
    void thePlanIsTheArithmeticOfTheWarning() {
        WindowSettings settings = settings(Duration.ofHours(6), 1e-6, 50_000, 256L << 20);
        SizingCheck check = new SizingCheck(settings, 4, 128);
        WindowPlan plan = WindowPlan.find(settings, 4, 128, Find.NOTHING, 0, 450);

        assertThat(plan.fits()).isFalse();
        assertThat(plan.neededBytes()).isEqualTo(check.bytesNeeded());
        assertThat(find(plan, Find.WINDOW).windowMillis()).isEqualTo(check.windowMillisThatFits());
        assertThat(find(plan, Find.RATE).idsPerSecond()).isEqualTo(check.idsPerSecondThatFit());
        assertThat(plan.falseDropsPerDay()).isCloseTo(4320, within(1e-6));
    }

    /** As the operator does it: one deduplicator for each key group, which share the cap. */
    @Test
    void filtersAtThePlannedMemoryCoverTheWindowAndTakeWhatThePlanSays() throws Exception {
        int keyGroups = 8;
        WindowSettings asked = settings(Duration.ofSeconds(100), 1e-4, 8000, 1 << 20);
        WindowPlan plan = WindowPlan.find(asked, 1, keyGroups, Find.MEMORY, 0, 450);
        WindowSettings settings = settings(Duration.ofSeconds(100), 1e-4, 8000, plan.memoryBytes());
        for (boolean atOnce : new boolean[] {true, false}) {
            MemoryBudget budget =
                    new MemoryBudget(
                            atOnce ? 2 * plan.neededBytes() : plan.memoryBytes(), keyGroups);
            Deduplicator[] groups = new Deduplicator[keyGroups];
            for (int i = 0; i < keyGroups; i++) {
                groups[i] =
                        Deduplicator.create(
                                settings.windowOptions(keyGroups),
                                budget,
                                atOnce ? settings.idsPerWindowAndKeyGroup(keyGroups) : 0,
                                0);
            }
            SplittableRandom random = Seeds.random();
            for (long n = 0; n < 3 * 800_000; n++) {
                long now = n / 8;
                int group = (int) (n % keyGroups);
                groups[group].advanceTo(now);
                groups[group].decide(random.nextLong(), now);
            }
            long bytes = 0;
            ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
            for (Deduplicator group : groups) {
                assertThat(group.clock() - group.coveredSince())
                        .as("made at once: %s", atOnce)
                        .isGreaterThanOrEqualTo(settings.windowMillis());
                bytes += group.sizeInBytes();
                group.writeTo(checkpoint);
            }
            if (atOnce) {
                assertThat(bytes).isEqualTo(plan.neededBytes());
                long sample = (long) Math.min(16384, 3 * 800_000) * 16;
                assertThat((double) checkpoint.size())
                        .isCloseTo(
                                (double) (plan.checkpointBytes() - sample), within(bytes * 0.01));
            } else {
                assertThat(budget.reserved()).isLessThanOrEqualTo(plan.memoryBytes());
            }
        }
    }

    @Test
    void keysAndMemoryOfTheCascadeAreInverse() {
        for (long keys : new long[] {1000, 1_000_000, 1_000_000_000}) {
            CascadePlan.Given given = new CascadePlan.Given(1e-6, 4, 128, null, null, 900);
            CascadePlan plan = CascadePlan.forKeys(given, keys, null);
            CascadePlan back = CascadePlan.forMemory(given, plan.managedBytes());
            assertThat((double) back.keys()).isCloseTo((double) keys, within(keys * 0.05 + 64));
            assertThat(CascadePlan.forKeys(given, 2 * keys, plan.managedBytes()).fits()).isFalse();
        }
    }

    @Test
    void moreKeysThanFingerprintsCanTellApartAreRefusedWithARemedy() {
        CascadePlan.Given given = new CascadePlan.Given(1e-12, 1, 128, null, null, 900);

        assertThatThrownBy(() -> CascadePlan.forKeys(given, Long.MAX_VALUE, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("9,223,372,036,854,775,807 keys", "1.0E-12", "--fpp");
    }

    @Test
    void aTimeToLiveTakesTheKeysOfTheRate() {
        CascadePlan.Given given =
                new CascadePlan.Given(1e-4, 2, 128, 1000.0, Duration.ofHours(1), 900);

        assertThat(given.keysAtTheRate()).isEqualTo(4_050_000);
        assertThat(CascadePlan.forKeys(given, 4_050_000, null).falseDropsPerDay())
                .isCloseTo(8640, within(1e-6));
        assertThatThrownBy(
                        () -> new CascadePlan.Given(1e-4, 2, 128, null, null, 900).keysAtTheRate())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theBitsOfAKeyOnDiskAreThoseOfAFilter(@TempDir Path folder) throws Exception {
        int keyGroups = 16;
        long keys = 400_000;
        double planned = CascadeSizing.bitsPerKey(1e-4, keys, keyGroups, (double) keys, 1);
        CascadeOptions options =
                CascadeOptions.builder()
                        .keyGroups(0, keyGroups)
                        .partOf(keyGroups)
                        .falsePositiveProbability(1e-4)
                        .capacity(keys)
                        .bufferBytes(8 << 20)
                        .build();
        SplittableRandom random = Seeds.random();
        try (CascadeFilter filter = CascadeFilter.open(folder, options)) {
            for (long i = 0; i < keys; i++) {
                filter.insert((int) (i % keyGroups), random.nextLong());
            }
            try (var snapshot = filter.snapshot()) {
                snapshot.prepare();
                long bytes = snapshot.files().stream().mapToLong(f -> f.sizeBytes()).sum();
                assertThat(snapshot.files()).hasSize(1);
                assertThat((double) bytes * Byte.SIZE / keys)
                        .isCloseTo(planned, within(planned * 0.04));
            }
        }
    }
}
