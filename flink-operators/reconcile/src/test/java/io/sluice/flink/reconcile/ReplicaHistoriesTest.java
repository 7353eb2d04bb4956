/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sluice.filter.Seeds;
import io.sluice.flink.reconcile.message.Setup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of two replicas, compared with what both were given: drains, restores, wild
 * times, messages that are lost, repeated, damaged, reordered or from a third replica, and, if the
 * kind of history allows it, windows that one side gives up, waits that end, lack of room, and lost
 * state.
 */
class ReplicaHistoriesTest {

    private static final int HISTORIES = 300;

    /** What may happen in addition to what may always happen. */
    enum Kind {
        /** Nothing that keeps two replicas from the union. */
        EVERYTHING_AGREES,
        /** Windows wait for longer than their time to live, and are kept. */
        EXCHANGES_ARE_SUSPENDED,
        /** One side gives up windows. */
        WINDOWS_ARE_GIVEN_UP,
        /** Windows wait for a short time only, and there is room for few. */
        TIME_AND_ROOM_ARE_SHORT,
        /** A replica starts without its state. */
        STATE_IS_LOST;

        /** Whether both end at the union, whatever happens. */
        boolean agrees() {
            return this == EVERYTHING_AGREES || this == EXCHANGES_ARE_SUSPENDED;
        }
    }

    private static void history(int repetition, Kind kind) throws Exception {
        long seed = Seeds.seed(repetition);
        try {
            ReplicaHistory history = new ReplicaHistory(seed, kind);
            history.run(80);
            history.calm();
            history.check();
        } catch (AssertionError | Exception e) {
            throw new AssertionError(Seeds.describe(seed) + " repetition " + repetition, e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothEndAtTheUnionOrWithAReportThatSaysWhy(Kind kind) throws Exception {
        for (int i = 0; i < HISTORIES; i++) {
            history(i, kind);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void bothEndAtTheUnionOrWithAReportThatSaysWhyInManyMoreHistories(Kind kind) throws Exception {
        for (int i = 10_000; i < 60_000; i++) {
            history(i, kind);
        }
    }

    private static void rescaledHistory(int repetition, int groups) throws Exception {
        long seed = Seeds.seed(repetition);
        RescaledHistory history = new RescaledHistory(seed, groups);
        try {
            history.run(60);
            history.calm();
            history.check();
        } catch (AssertionError | Exception e) {
            throw new AssertionError(Seeds.describe(seed) + " repetition " + repetition, e);
        } finally {
            history.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"20, 1", "20, 2", "20, 9"})
    void bothEndAtTheUnionThoughSubtasksComeAndGoBetweenDrainsAndFailures(int histories, int groups)
            throws Exception {
        for (int i = 0; i < histories; i++) {
            rescaledHistory(i, groups);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"1000, 1", "1000, 2", "1000, 9", "100, 128", "1, 32768"})
    void bothEndAtTheUnionThoughSubtasksComeAndGoInManyMoreHistories(int histories, int groups)
            throws Exception {
        for (int i = 10_000; i < 10_000 + histories; i++) {
            rescaledHistory(i, groups);
        }
    }

    /** What each replica does after a restart in a history; see {@link ReplicaHistory}. */
    static void otherSetupsAreRefused(Replica replica, ReconcileSettings now) {
        ReconcileSettings other =
                ReplicaHistory.settings(
                        now.replica(),
                        new Setup(now.setup().windowMillis(), 1, 1, 8),
                        1 << 20,
                        0,
                        9);
        assertThatIllegalStateException()
                .isThrownBy(() -> replica.checkSetup(other))
                .withMessageContaining("seed = 7");
        assertThat(now.setup().seed()).isEqualTo(7);
        replica.checkSetup(now);
    }
}
