/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.Attempts.ME;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CombinerTest {
    private final List<Tally> out = new ArrayList<>();

    private final Combiner combiner =
            new Combiner(
                    new AttackSettings(
                            AttackKind.SCAN,
                            Duration.ofSeconds(2),
                            100,
                            0.25,
                            Duration.ofSeconds(5),
                            1_000,
                            false),
                    out::add);

    private void attempt(Address source) {
        combiner.add(Attempts.started(source, ME, 80, 100));
    }

    @Test
    void holdsAPartyForEachOfAsManyAsThereIsRoomFor() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < Combiner.MOST; i++) {
                attempt(Attempts.address(i));
            }
        }
        assertThat(out).isEmpty();
        attempt(Attempts.address(Combiner.MOST));
        assertThat(out).hasSize(Combiner.MOST);
        combiner.flush();
        assertThat(out).hasSize(Combiner.MOST + 1);
    }

    /** Also in a chain that goes round the table's end. */
    @Test
    void whatAWatermarkDoesNotCloseIsFoundAgain() {
        int slots = 2 * Combiner.MOST;
        List<Address> around = new ArrayList<>();
        for (int i = 0; around.size() < 800; i++) {
            Address source = Address.ofIpv4(i);
            long slot = Party.hash(source, Party.NO_PORT) + 500 & slots - 1;
            if (slot < 1_000) {
                around.add(source);
            }
        }
        combiner.add(Attempts.started(around.get(0), ME, 80, -5_000));
        around.forEach(this::attempt);
        combiner.flushClosed(-1);
        assertThat(out).hasSize(1);
        around.forEach(this::attempt);
        combiner.flush();
        assertThat(out).hasSize(1 + around.size());
        assertThat(out.stream().mapToLong(tally -> tally.counts().attempts).sum())
                .isEqualTo(1 + 2L * around.size());
    }

    /** Hosts with chosen addresses would make each attempt search all of them. */
    @Test
    void isEmptiedEarlyIfThePartiesWereChosenForOneSlot() {
        List<Address> chosen = new ArrayList<>();
        for (int i = 0; chosen.size() < 1_000; i++) {
            Address source = Address.ofIpv4(i);
            if ((Party.hash(source, Party.NO_PORT) & 2 * Combiner.MOST - 1) == 0) {
                chosen.add(source);
            }
        }
        chosen.forEach(this::attempt);
        assertThat(out).hasSizeBetween(600, 999);
        combiner.flush();
        assertThat(out.stream().map(tally -> tally.party().address()))
                .containsExactlyElementsOf(chosen);
    }
}
