/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.SplitMix64;
import io.sluice.filter.hash.Unmixed;
import io.sluice.flows.FlowsSummary.Talker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TalkersTest {
    private static final long NETWORK = 0x20010db8_00000000L;
    private static final long SEED = Long.getLong("test.seed", 20261125L);

    private final Random random = new Random(SEED);
    private final Map<String, Long> exact = new HashMap<>();

    /** Sizes like those of senders of the Internet: a few send most. */
    private Talkers filled(int capacity, int addresses) {
        Talkers talkers = new Talkers(capacity);
        for (int i = 0; i < 200_000; i++) {
            int address = (int) (addresses * Math.pow(random.nextDouble(), 6));
            int bytes = 40 + random.nextInt(1460);
            talkers.add(4, 0, address, bytes);
            exact.merge("0.0." + (address >> 8) + '.' + (address & 0xff), (long) bytes, Long::sum);
        }
        return talkers;
    }

    @Test
    void itIsExactWhileAllAddressesHaveRoom() {
        List<Talker> top = filled(1_000, 1_000).top(1_000);

        assertThat(top).hasSameSizeAs(exact.keySet());
        assertThat(top)
                .allSatisfy(
                        talker -> {
                            assertThat(talker.bytes()).isEqualTo(exact.get(talker.address()));
                            assertThat(talker.missedBytes()).isZero();
                        });
        assertThat(top).isSortedAccordingTo((a, b) -> Long.compare(b.bytes(), a.bytes()));
    }

    @Test
    void beyondThatTheTruthIsWithinTheBoundsThatAreGiven() {
        List<Talker> top = filled(500, 20_000).top(100);

        assertThat(top).as("seed %d", SEED).hasSize(100);
        assertThat(top)
                .allSatisfy(
                        talker ->
                                assertThat(exact.get(talker.address()))
                                        .isBetween(
                                                talker.bytes(),
                                                talker.bytes() + talker.missedBytes()));
        String most =
                exact.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
        assertThat(top.get(0).address()).isEqualTo(most);
    }

    @Test
    void oneAddressIsEnough() {
        Talkers talkers = new Talkers(1);
        talkers.add(4, 0, 1, 100);
        talkers.add(6, 0, 1, 300);

        assertThat(talkers.top(2)).containsExactly(new Talker("::1", 1, 300, 100));
    }

    /** A host may choose the last 64 bits of its addresses, and with them their hash codes. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void addressesThatWereChosenForOneHashCodeAreFoundAtOnce() {
        Talkers talkers = new Talkers(100_000);
        long network = SplitMix64.mix(NETWORK + 6);
        for (int round = 0; round < 2; round++) {
            for (long i = 0; i < 150_000; i++) {
                long mixed = Unmixed.hash(i << Integer.SIZE | i) + SplitMix64.GAMMA;
                talkers.add(6, NETWORK, mixed ^ network, 100);
            }
        }
        assertThat(talkers.top(1)).hasSize(1);
    }
}
