/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CriterionTest {

    private static final long WINDOW = 800;

    private final List<Occurrence> input = new ArrayList<>();
    private final BitSet passed = new BitSet();

    @Test
    void nothingBreaksNothing() {
        exact().require();
    }

    @Test
    void twoThatPassedMustBeMoreThanAWindowApart() {
        passes(1, 0);
        passes(1, WINDOW + 1);
        exact().require();

        passes(2, WINDOW);
        passes(2, 0);
        assertThat(exact().lost()).isEmpty();
        assertThat(exact().twice())
                .containsExactly(new Criterion.Twice(input.get(3), input.get(2)));
        assertThat(exact().holds()).isFalse();
    }

    @Test
    void copiesAreToldApart() {
        passes(1, 5);
        drops(1, 5);
        exact().require();
        passes(1, 5);
        assertThat(exact().twice()).hasSize(1);
    }

    @Test
    void oneThatWasDroppedIsAWindowFromOneThatPassedOnEitherSide() {
        passes(1, 0);
        drops(1, WINDOW);
        drops(1, -WINDOW);
        exact().require();

        drops(1, WINDOW + 1);
        assertThat(exact().lost()).containsExactly(input.get(3));
        drops(1, -WINDOW - 1);
        assertThat(exact().lost()).containsExactlyInAnyOrder(input.get(3), input.get(4));
        assertThat(filters().holds()).isTrue();
    }

    @Test
    void aFilterMayHoldAnIdForASliceLonger() {
        passes(1, 0);
        drops(1, WINDOW + WINDOW / 8);
        drops(1, -WINDOW - WINDOW / 8);
        filters().require();
        drops(1, WINDOW + WINDOW / 8 + 1);
        drops(1, -WINDOW - WINDOW / 8 - 1);
        assertThat(filters().lost()).hasSize(2);
    }

    @Test
    void theToleranceLetsNoneOfThosePassTwice() {
        passes(1, 0);
        passes(1, WINDOW + 1);
        filters().require();
    }

    @Test
    void whatWasDroppedDoesNotExcuseWhatWasDropped() {
        passes(1, 0);
        drops(1, WINDOW);
        drops(1, 2 * WINDOW);
        assertThat(exact().lost()).containsExactly(input.get(2));
    }

    @Test
    void otherIdsDoNotCount() {
        passes(1, 0);
        passes(2, 0);
        exact().require();
        drops(3, 0);
        assertThat(exact().lost()).containsExactly(input.get(2));
    }

    @Test
    void theOrderDoesNotMatter() {
        passes(1, 0);
        drops(1, 1);
        passes(1, WINDOW);
        drops(1, 5 * WINDOW);
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(input, new Random(seed));
            assertThat(exact().twice()).hasSize(1);
            assertThat(exact().lost()).hasSize(1);
        }
    }

    @Test
    void timesAtTheExtremesAreFarApart() {
        passes(1, Long.MIN_VALUE);
        passes(1, Long.MAX_VALUE);
        drops(1, -1);
        assertThat(exact().twice()).isEmpty();
        assertThat(exact().lost()).hasSize(1);
        assertThat(Criterion.exact(Long.MAX_VALUE).judge(input, passed).lost()).isEmpty();
        assertThat(Criterion.exact(Long.MAX_VALUE).judge(input, passed).twice()).isEmpty();
    }

    @Test
    void aWindowOfZeroIsForEqualTimes() {
        passes(1, 0);
        drops(1, 0);
        passes(1, 1);
        Criterion.exact(0).judge(input, passed).require();
    }

    @Test
    void aVerdictSaysWhatItFound() {
        drops(7, 5);
        exact().require(1);
        assertThatThrownBy(exact()::require)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0 passed twice")
                .hasMessageContaining("1 lost [Occurrence[number=0, partition=0, id=7, time=5]]");
        passes(8, 0);
        passes(8, 0);
        assertThatThrownBy(() -> exact().require(1)).isInstanceOf(AssertionError.class);
    }

    private Criterion.Verdict exact() {
        return Criterion.exact(WINDOW).judge(input, passed);
    }

    private Criterion.Verdict filters() {
        return Criterion.ofFilters(WINDOW).judge(input, passed);
    }

    private void passes(long id, long time) {
        passed.set(input.size());
        drops(id, time);
    }

    private void drops(long id, long time) {
        input.add(new Occurrence(input.size(), 0, id, time));
    }
}
