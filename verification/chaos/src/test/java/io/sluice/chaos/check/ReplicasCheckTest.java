/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.truth.PacketBytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplicasCheckTest {
    private static final int EAST = 0;
    private static final int WEST = 1;
    private static final String AGREED =
            "{\"window\":0,\"group\":3,\"outcome\":\"AGREED\",\"x\":1}";

    private static final String LATE = "{\"operation\":1,\"timestamp\":10}";

    private final CheckResult verdict = new CheckResult();
    private final ReplicasCheck check = new ReplicasCheck(1000, 500, verdict);

    /** Operation 1 is twice in the east and missing in the west; then the window is over. */
    @BeforeEach
    void send() {
        check.input(EAST, 0, packet(1, 10), 510);
        check.input(EAST, 0, packet(1, 10), 511);
        check.input(EAST, 0, packet(9, 1500), 1500);
        check.input(WEST, 0, packet(9, 1500), 1500);
    }

    @Test
    void theUnionOnBothSidesIsRight() {
        agree();
        check.judge();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.numbers()).containsEntry("compared", 1L);
    }

    @Test
    void aSideWithoutTheUnionIsFound() {
        report();
        check.element(EAST, element(2));
        check.element(WEST, element(1));
        check.correction(WEST, correction(0, 2));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("a side has not the union: 1, such as operation 1 of window 0 on side 1");
    }

    @Test
    void anElementThatIsToldTwiceOrNotAtAllIsFound() {
        report();
        check.element(EAST, element(2));
        check.element(EAST, element(2));
        check.correction(WEST, correction(0, 2));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("an operation is not told once: 2");
    }

    @Test
    void aCorrectionThatIsMissingOrComesTwiceIsFound() {
        report();
        check.element(EAST, element(2));
        check.element(WEST, element(2));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("corrections do not add up to what a side lacked: 1");
    }

    @Test
    void anExchangeWithoutAgreementIsFound() {
        agree();
        check.report(WEST, AGREED.replace("AGREED", "TIMED_OUT").replace("3", "4"));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("an exchange ended without agreement: 1");
    }

    @Test
    void aWrongWindowIsFound() {
        agree();
        check.correction(WEST, correction(2, 2).replace("\"window\":0", "\"window\":1000"));
        assertThat(verdict.violations()).singleElement().asString().contains("a window is wrong");
    }

    @Test
    void whatWasLateOnASideDidNotReachIt() {
        report();
        check.late(EAST, LATE);
        check.element(EAST, element(1));
        check.element(WEST, element(1));
        check.correction(WEST, correction(0, 1));
        check.judge();
        assertThat(verdict.violations()).isEmpty();
    }

    @Test
    void anOpenWindowIsNotCompared() {
        ReplicasCheck open = new ReplicasCheck(1000, 501, verdict);
        open.input(EAST, 0, packet(1, 10), 510);
        open.input(EAST, 0, packet(9, 1500), 1500);
        open.input(WEST, 0, packet(9, 1500), 1500);
        open.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("no window is over, so nothing was compared");
    }

    @Test
    void anExchangeThatIsReportedTwiceOrByOneSideIsFound() {
        agree();
        check.report(EAST, AGREED);
        check.report(EAST, AGREED.replace("3", "4"));
        check.judge();
        assertThat(verdict.violations())
                .satisfiesExactlyInAnyOrder(
                        text -> assertThat(text).contains("an exchange is reported twice: 1"),
                        text ->
                                assertThat(text)
                                        .contains("the sides do not report the same exchanges: 1"));
    }

    @Test
    void aFreshOperationThatIsTakenForLateIsFound() {
        report();
        check.late(EAST, LATE);
        check.late(EAST, LATE);
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("an operation was late that was sent soon after its time: 1");
    }

    private void report() {
        check.report(EAST, AGREED);
        check.report(WEST, AGREED);
    }

    private void agree() {
        report();
        check.element(EAST, element(2));
        check.element(WEST, element(2));
        check.correction(WEST, correction(0, 2));
    }

    private static String element(int copies) {
        return "{\"window\":0,\"operation\":1,\"copies\":" + copies + "}";
    }

    private static String correction(int before, int after) {
        return "{\"window\":0,\"operation\":1,\"before\":" + before + ",\"after\":" + after + "}";
    }

    private static PacketBytes packet(long operation, long millis) {
        return new PacketBytes(operation, millis * 1_000_000, PacketBytes.UDP, 0, 1, 2, 3, 4);
    }
}
