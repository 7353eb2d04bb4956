/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ThirdsTest {
    private static final long SEED = Long.getLong("test.seed", 20261101L);

    /** An hour: a sample every ten seconds, a checkpoint every five, a restore every three min. */
    private static final int SAMPLES = 360;

    private static final int CHECKPOINTS_PER_SAMPLE = 2;
    private static final int SAMPLES_PER_RESTORE = 18;
    private static final int SAMPLES_PER_LIFETIME = 6;

    /** {@code leak} on top of 300 and as much noise as merges and restores make. */
    private static Thirds thirds(SoakSeries series, IntToDoubleFunction leak) {
        Random random = new Random(SEED);
        List<Double> samples = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            samples.add(300 + random.nextInt(9) - 4 + leak.applyAsDouble(i));
        }
        return Thirds.of(series, samples);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "HANDLES",
                "THREADS",
                "CLASSES",
                "METRICS",
                "WORKING_FILES",
                "WINDOW_CHECKPOINT_FILES",
                "STATE_CHECKPOINT_FILES"
            })
    void oneThatIsLeakedAtEachCheckpointFailsAndOneAtEachThirdCheckpointToo(SoakSeries series) {
        assertThat(thirds(series, i -> i * CHECKPOINTS_PER_SAMPLE).isFlat()).isFalse();
        assertThat(thirds(series, i -> Math.floorDiv(i * CHECKPOINTS_PER_SAMPLE, 3)).isFlat())
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"HANDLES", "THREADS", "METRICS"})
    void oneThatIsLeakedAtEachRestoreFails(SoakSeries series) {
        assertThat(thirds(series, i -> Math.floorDiv(i, SAMPLES_PER_RESTORE)).isFlat()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void noiseDoesNot(SoakSeries series) {
        assertThat(thirds(series, i -> 0).isFlat()).isTrue();
    }

    @Test
    void aFifthOfAMegabyteThatIsLeakedAtEachCheckpointFails() {
        IntToDoubleFunction leak = i -> 0.2 * i * CHECKPOINTS_PER_SAMPLE;
        assertThat(thirds(SoakSeries.HEAP_BESIDES_SUMMARIES, leak).isFlat()).isFalse();
        assertThat(thirds(SoakSeries.RSS, leak).isFlat()).isFalse();
        assertThat(thirds(SoakSeries.METASPACE, leak).isFlat()).isFalse();
        assertThat(thirds(SoakSeries.MANAGED, leak).isFlat()).isFalse();
        assertThat(thirds(SoakSeries.WORKING_BESIDES_FLAGS, leak).isFlat()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void neitherDoTheWarmUpNorWhatShrinks(SoakSeries series) {
        assertThat(thirds(series, i -> Math.min(i, SAMPLES / 3) * 10).isFlat()).isTrue();
        assertThat(thirds(series, i -> SAMPLES - i).isFlat()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"METRICS", "MANAGED", "WINDOW_HELD"})
    void aSeriesThatShowsNothingFails(SoakSeries series) {
        assertThat(Thirds.of(series, Collections.nCopies(SAMPLES, 0.0)).isFlat()).isFalse();
        List<Double> lost = new ArrayList<>(Collections.nCopies(SAMPLES / 2, 300.0));
        lost.addAll(Collections.nCopies(SAMPLES / 2, 0.0));
        assertThat(Thirds.of(series, lost).isFlat()).isFalse();
    }

    /** At a steady rate: ids of one lifetime are held, and of each that has passed a part. */
    @Test
    void idsOfTheStateThatAreNotForgottenFail() {
        for (double kept : new double[] {0.02, 0.1, 1}) {
            List<Double> samples = new ArrayList<>();
            for (int i = 0; i < SAMPLES; i++) {
                samples.add(0.9 * (1 + kept * i / SAMPLES_PER_LIFETIME));
            }
            assertThat(Thirds.of(SoakSeries.STATE_HELD_PER_RECORD, samples).isFlat()).isFalse();
        }
    }

    @Test
    void whatDependsOnTheLoadIsNotJudged() {
        assertThat(thirds(SoakSeries.WINDOW_RATE, i -> i * 1000).isFlat()).isTrue();
    }

    @Test
    void tooFewSamplesAreRefused() {
        List<Double> samples = Collections.nCopies(3 * Thirds.LEAST - 1, 1.0);
        assertThatThrownBy(() -> Thirds.of(SoakSeries.THREADS, samples))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("threads")
                .hasMessageContaining("15");
    }
}
