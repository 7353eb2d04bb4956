/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FirstsCheckTest {
    private static final long WINDOW = 60_000;
    private static final long FORGOTTEN = 240_000;
    private static final double P = 1e-4;

    private final CheckResult verdict = new CheckResult();
    private final FirstsCheck check = new FirstsCheck(WINDOW, FORGOTTEN, P, true, verdict);

    @Test
    void eachIdOnceIsRight() {
        sends(1000);
        for (int i = 0; i < 1000; i++) {
            check.output(order(i, i, i));
        }
        check.judge();
        assertThat(verdict.isOk()).isTrue();
        assertThat(verdict.numbers())
                .containsEntry("in", 2000)
                .containsEntry("out", 1000L)
                .containsEntry("dropped", 0L);
    }

    @Test
    void aLostRecordIsFoundUnlessTheProbabilityExplainsIt() {
        sends(1000);
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("more new ids are missing than --fpp allows: 1000");
    }

    @Test
    void aRunInWhichNothingWasSentIsNotRight() {
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("nothing was sent that has to come out");
    }

    @Test
    void asManyAsTheProbabilityAllowsAreFoundIfTheyAreLostTogether() {
        for (boolean together : new boolean[] {true, false}) {
            CheckResult result = new CheckResult();
            FirstsCheck firsts = new FirstsCheck(WINDOW, FORGOTTEN, P, true, result);
            int ids = 200_000;
            for (int i = 0; i < ids; i++) {
                firsts.input(order(i, i, i));
            }
            for (int i = 0; i < ids; i++) {
                boolean isLost = together ? i >= 500 && i < 520 : i % 10_000 == 500;
                if (!isLost) {
                    firsts.output(order(i, i, i));
                }
            }
            firsts.judge();
            assertThat(result.numbers()).containsEntry("dropped", 20L);
            if (together) {
                assertThat(result.violations())
                        .singleElement()
                        .asString()
                        .contains("than --fpp allows, in one second: 20, such as o5");
            } else {
                assertThat(result.violations()).isEmpty();
            }
        }
    }

    @Test
    void oneLostRecordInAMillionOfCertainOnesIsFound() {
        CheckResult strict = new CheckResult();
        FirstsCheck exact = new FirstsCheck(WINDOW, FORGOTTEN, 0, true, strict);
        exact.input(order(0, 0, 0));
        exact.input(order(1, 1, 0));
        exact.output(order(1, 1, 0));
        exact.judge();
        assertThat(strict.violations()).hasSize(1);
    }

    @Test
    void aDuplicateWithinTheWindowIsFound() {
        check.input(order(0, 7, 0));
        check.input(order(1, 7, WINDOW));
        check.output(order(0, 7, 0));
        check.output(order(1, 7, WINDOW));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("a duplicate passed within the window: 1");
    }

    @Test
    void afterTheWindowAnIdMayPassOrNot() {
        for (boolean passes : new boolean[] {true, false}) {
            CheckResult one = new CheckResult();
            FirstsCheck may = new FirstsCheck(WINDOW, FORGOTTEN, 0, true, one);
            may.input(order(0, 7, 0));
            may.input(order(1, 7, WINDOW + 1));
            may.output(order(0, 7, 0));
            if (passes) {
                may.output(order(1, 7, WINDOW + 1));
            }
            may.judge();
            assertThat(one.isOk()).isTrue();
        }
    }

    @Test
    void longAfterTheWindowAnIdHasToPassAgain() {
        CheckResult one = new CheckResult();
        FirstsCheck must = new FirstsCheck(WINDOW, FORGOTTEN, 0, true, one);
        must.input(order(0, 7, 0));
        must.input(order(1, 7, FORGOTTEN + 1));
        must.output(order(0, 7, 0));
        must.judge();
        assertThat(one.violations()).hasSize(1);
    }

    @Test
    void anySendOfAnIdMayBeTheOneThatPasses() {
        check.input(order(0, 7, 0));
        check.input(order(1, 7, 10));
        check.output(order(1, 7, 10));
        check.judge();
        assertThat(verdict.isOk()).isTrue();
        assertThat(verdict.numbers()).containsEntry("dropped", 0L);
    }

    @Test
    void aRecordThatIsVisibleTwiceIsFound() {
        check.input(order(0, 7, 0));
        check.output(order(0, 7, 0));
        check.output(order(0, 7, 0));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("one record is in the output twice");
    }

    @Test
    void whatWasNeverSentIsFound() {
        check.output(order(5, 7, 0));
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("a record of the output was never sent");
    }

    @Test
    void aChangedTimeKeyPartitionOrValueIsFound() {
        for (Order changed :
                new Order[] {
                    new Order(0, "o7", 1, 2, "k", "v"),
                    new Order(0, "o7", 0, 3, "k", "v"),
                    new Order(0, "o7", 0, 2, "l", "v"),
                    new Order(0, "o7", 0, 2, "k", "w")
                }) {
            CheckResult one = new CheckResult();
            FirstsCheck same = new FirstsCheck(WINDOW, FORGOTTEN, P, true, one);
            same.input(new Order(0, "o7", 0, 2, "k", "v"));
            same.output(changed);
            assertThat(one.violations()).as("%s", changed).hasSize(1);
        }
    }

    /** Each id twice, a millisecond apart. */
    private void sends(int ids) {
        for (int i = 0; i < ids; i++) {
            check.input(order(i, i, i));
            check.input(order(ids + i, i, i + 1));
        }
    }

    private static Order order(long sequence, long id, long time) {
        return new Order(sequence, "o" + id, time, 0, "k", "v");
    }
}
