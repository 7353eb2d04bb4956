/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.truth.PacketBytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CountersCheckTest {
    private static final long WINDOW = 60_000;
    private static final int SOURCE = 10 << 24 | 7;
    private static final String COUNTER = "10.0.0.7";

    private final CheckResult verdict = new CheckResult();
    private final CountersCheck check = new CountersCheck(WINDOW, 0, verdict);

    /** Operations 1 and 2, the second of them sent twice. */
    @BeforeEach
    void send() {
        check.input(packet(1), 1000);
        check.input(packet(2), 1000);
        check.input(packet(2), 2000);
    }

    @Test
    void eachOperationOnceIsRight() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        value(1);
        value(2);
        check.judge();
        assertThat(verdict.violations()).isEmpty();
    }

    @Test
    void anOperationThatCountsTwiceIsFound() {
        value(3);
        assertFinds("an operation was counted more than once: 1, such as 2, sent 2 times");
    }

    @Test
    void anOperationThatDoesNotCountIsFound() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        check.duplicate("{\"operation\":1,\"timestamp\":1}");
        value(1);
        assertFinds("more operations were not counted than --fpp allows: 1, such as 1");
    }

    @Test
    void aWrongValueIsFound() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        value(1);
        assertFinds("a counter is wrong: 1, such as 10.0.0.7 is 1, not 2");
    }

    @Test
    void aCounterThatGoesBackIsFound() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        value(2);
        value(1);
        value(2);
        check.judge();
        assertThat(verdict.violations()).singleElement().asString().contains("a counter went back");
    }

    @Test
    void aCounterOfNothingIsFound() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        value(2);
        check.value("10.0.0.8", "{\"value\":1,\"timestamp\":1}");
        assertFinds("a counter has no operation");
    }

    @Test
    void aResultThatIsVisibleTwiceIsFound() {
        check.duplicate("{\"operation\":1,\"timestamp\":1}");
        check.duplicate("{\"operation\":1,\"timestamp\":1}");
        check.judge();
        assertThat(verdict.violations())
                .anyMatch(text -> text.contains("refused more often than it was sent: 1"));
    }

    @Test
    void aLateOperationNeedNotCountIfItWasSentLongAfterItsTime() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        check.input(packet(3), 1000 + WINDOW);
        check.late("{\"operation\":3,\"timestamp\":1000}");
        value(2);
        check.judge();
        assertThat(verdict.violations()).isEmpty();
    }

    @Test
    void aFreshOperationThatIsTakenForLateIsFound() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        check.late("{\"operation\":1,\"timestamp\":1000}");
        value(1);
        assertFinds("an operation was late that was sent soon after its time");
    }

    @Test
    void aFreshOperationThatDoesNotCountIsFoundAlthoughALaterSendIsLate() {
        check.duplicate("{\"operation\":2,\"timestamp\":1}");
        check.input(packet(1), 1000 + 5 * WINDOW);
        check.duplicate("{\"operation\":1,\"timestamp\":1000}");
        check.late("{\"operation\":1,\"timestamp\":1000}");
        value(1);
        assertFinds("more operations were not counted than --fpp allows: 1, such as 1");
    }

    @Test
    void aRunInWhichNothingWasSentIsNotRight() {
        CheckResult nothing = new CheckResult();
        new CountersCheck(WINDOW, 0, nothing).judge();
        assertThat(nothing.violations())
                .singleElement()
                .asString()
                .contains("nothing was sent that has to come out");
    }

    private void assertFinds(String violation) {
        check.judge();
        assertThat(verdict.violations()).singleElement().asString().contains(violation);
    }

    private void value(long value) {
        check.value(COUNTER, "{\"value\":" + value + ",\"timestamp\":1}");
    }

    private static PacketBytes packet(long operation) {
        return new PacketBytes(operation, 1_000_000_000, PacketBytes.UDP, 0, SOURCE, 1, 2, 3);
    }
}
