/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.papers.fbf.ResizePolicy.Decision;
import io.sluice.papers.fbf.ResizePolicy.Observation;
import org.junit.jupiter.api.Test;

/** What policies decide, observation by observation. */
class ResizePolicyTest {
    private static final long WINDOW = 10_000;
    private static final double TARGET = 1e-3;
    private static final int MOST = 30;

    /** In steps of a second, down to half a second. */
    private static final ResizePolicy PAPER = ResizePolicy.paper(1_000, 500, MOST);

    private static Observation observed(long refresh, int past, double fpp, long sinceChange) {
        return new Observation(refresh, past, WINDOW, 100, fpp, TARGET, sinceChange, 1 << 20, 7);
    }

    private static Decision unchanged(long refresh, int past) {
        return new Decision(refresh, past, false);
    }

    @Test
    void thePaperDoublesTheFiltersAtNineTenthsOfTheTarget() {
        assertThat(PAPER.decide(observed(4_000, 3, 0.9 * TARGET, 4_000)))
                .as("before the target is reached")
                .isEqualTo(new Decision(3_000, 8, true));
        assertThat(PAPER.decide(observed(4_000, 3, 0.89 * TARGET, 4_000)))
                .isEqualTo(unchanged(4_000, 3));
    }

    @Test
    void thePaperWaitsForARefreshPeriodAfterAChange() {
        assertThat(PAPER.decide(observed(4_000, 3, 2e-3, 3_999))).isEqualTo(unchanged(4_000, 3));
    }

    @Test
    void thePaperKeepsToTheBounds() {
        assertThat(PAPER.decide(observed(2_000, 20, 2e-3, 2_000)))
                .isEqualTo(new Decision(1_000, MOST, true));
        assertThat(PAPER.decide(observed(500, MOST, 2e-3, 500)))
                .as("nothing is left to change, so nothing is refreshed early")
                .isEqualTo(unchanged(500, MOST));
    }

    @Test
    void thePaperNeverMakesTimesThatDoNotCoverTheWindow() {
        Decision decision =
                ResizePolicy.paper(3_900, 1, MOST).decide(observed(4_000, 3, 2e-3, 4_000));
        assertThat(decision.past()).isEqualTo(8);
        assertThat(decision.refreshMillis()).isEqualTo(ResizePolicy.leastRefresh(WINDOW, 8));
    }

    @Test
    void thePaperTakesOneFilterAwayAtATenthOfTheTarget() {
        assertThat(PAPER.decide(observed(4_000, 5, 1e-4, WINDOW))).isEqualTo(unchanged(5_000, 4));
        assertThat(PAPER.decide(observed(4_000, 5, 1.1e-4, WINDOW))).isEqualTo(unchanged(4_000, 5));
        assertThat(PAPER.decide(observed(4_000, 5, 1e-4, WINDOW - 1)))
                .as("before a whole window has passed")
                .isEqualTo(unchanged(4_000, 5));
        assertThat(PAPER.decide(observed(500, 5, 0, WINDOW)))
                .as("what is left would not cover the window")
                .isEqualTo(unchanged(500, 5));
    }

    @Test
    void aPlanIsTheLongestTimeThatStaysBelowHalfTheTarget() {
        ResizePolicy planned = ResizePolicy.planned(1, MOST);
        assertThat(planned.decide(observed(3_000, 3, 0, WINDOW)))
                .as("one past filter has to cover the window")
                .isEqualTo(unchanged(WINDOW / 2, 1));
        Decision busy =
                planned.decide(
                        new Observation(5_000, 3, WINDOW, 20_000, 0, TARGET, WINDOW, 1 << 20, 7));
        assertThat(busy.refreshNow()).isTrue();
        assertThat(busy.past()).isGreaterThan(3).isLessThanOrEqualTo(MOST);
        assertThat((busy.past() + 1) * busy.refreshMillis())
                .as("covers the window")
                .isGreaterThanOrEqualTo(WINDOW);
    }

    @Test
    void aPlanThatIsALittleLongerIsNotWorthAChange() {
        ResizePolicy planned = ResizePolicy.planned(1, MOST);
        assertThat(planned.decide(observed(4_000, 2, 0, WINDOW))).isEqualTo(unchanged(4_000, 2));
        assertThat(planned.decide(observed(3_000, 2, 0, WINDOW - 1)))
                .as("before a whole window has passed")
                .isEqualTo(unchanged(3_000, 2));
        assertThat(ResizePolicy.planned(6_000, MOST).decide(observed(9_000, 5, 0, WINDOW)))
                .as("keeps to the least time")
                .isEqualTo(new Decision(6_000, 1, true));
    }
}
