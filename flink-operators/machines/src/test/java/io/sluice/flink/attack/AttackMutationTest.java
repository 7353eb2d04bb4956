/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.filter.format.Mutations;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** States with right checksums that no watch wrote. */
class AttackMutationTest {

    @ParameterizedTest
    @EnumSource
    void aStateThatNobodyWroteIsRefusedOrReadAsAWatchThatWorks(AttackKind kind) throws IOException {
        Mutations.areRefusedOrWork(
                5_000,
                (in, source) ->
                        AttackWatchFormat.read(
                                in,
                                source,
                                GoldenAttacks.settings(kind),
                                new Room(GoldenAttacks.PARTIES)),
                AttackMutationTest::use,
                GoldenAttacks.bytes(GoldenAttacks.watch(kind)),
                GoldenAttacks.bytes(drained(kind)));
    }

    /** With partly reported panes. */
    private static AttackWatch drained(AttackKind kind) {
        AttackWatch watch = GoldenAttacks.watch(kind);
        Attempts.scan(Attempts.ME, 20, 4_500).forEach(each -> Attempts.add(watch, each));
        Attempts.flood(Attempts.ME, 99, 20, 4_500).forEach(each -> Attempts.add(watch, each));
        watch.endInput(alert -> {});
        return watch;
    }

    private static byte[] use(AttackWatch watch, SplittableRandom random) throws IOException {
        long[] last = {Long.MIN_VALUE};
        for (int round = 0; round < 3; round++) {
            long from = 5_000 + 1_000L * round + random.nextInt(500);
            Attempts.scan(Attempts.ME, 20, from).forEach(each -> Attempts.add(watch, each));
            Attempts.flood(Attempts.ME, 80, 20, from).forEach(each -> Attempts.add(watch, each));
            long before = last[0];
            last[0] = from;
            watch.advance(
                    from,
                    alert -> {
                        if (alert.millis() <= before || alert.millis() > from) {
                            throw new AssertionError("an alert of " + alert.millis());
                        }
                    });
        }
        watch.endInput(alert -> {});
        return GoldenAttacks.bytes(watch);
    }
}
