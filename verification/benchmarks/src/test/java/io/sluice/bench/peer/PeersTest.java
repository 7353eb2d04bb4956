/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PeersTest {
    private static final int SLOTS = 1 << 15;
    private static final Peer.Size SIZE = new Peer.Size(SLOTS, Peers.FPP);
    private static final long KEYS = SIZE.keys();

    /** So small that a filter with a window takes no key for an earlier one and skips it. */
    private static final double LOW_FPP = 1e-5;

    private static List<Peer> all() {
        List<Peer> all = new ArrayList<>(Peers.named(Set.of()));
        all.add(Peers.ONE_LINE);
        all.add(Peers.named("countingCuckoo12OffHeap"));
        return all;
    }

    private static boolean hasWindow(Peer peer) {
        return peer.id().startsWith("windowed") || peer.id().startsWith("fbf");
    }

    @TestFactory
    List<DynamicTest> everyPeerKeepsTheContract() {
        return all().stream()
                .filter(peer -> !peer.equals(Peers.ONE_LINE))
                .map(peer -> DynamicTest.dynamicTest(peer.id(), () -> keepsTheContract(peer)))
                .toList();
    }

    private static void keepsTheContract(Peer peer) {
        double fpp = hasWindow(peer) ? LOW_FPP : Peers.FPP;
        StructureContract.check(
                peer, new Peer.Size(SLOTS, fpp), hasWindow(peer) ? 10 * LOW_FPP : 0.04);
    }

    @Test
    void noTwoPeersShareAName() {
        assertThat(all()).extracting(Peer::id).doesNotHaveDuplicates();
        assertThat(all()).extracting(Peer::name).doesNotHaveDuplicates();
    }

    @Test
    void sizesAreThoseOfTheTables() {
        for (Peer peer : all()) {
            try (Structure structure = peer.create(SIZE)) {
                double bitsPerKey = 8.0 * structure.sizeInBytes() / KEYS;
                switch (peer.id()) {
                    case "fastfilterBloom", "guavaBloom", "dataSketchesBloom" ->
                            assertThat(bitsPerKey).as(peer.id()).isBetween(11.5, 11.6);
                    case "fastfilterBlockedBloom" ->
                            assertThat(bitsPerKey).as(peer.id()).isBetween(16.0, 16.3);
                    case "fastfilterCuckoo8" ->
                            assertThat(bitsPerKey).isEqualTo(8 / Peer.LOAD, offset(0.01));
                    case "fastfilterCuckoo16" ->
                            assertThat(bitsPerKey).isEqualTo(16 / Peer.LOAD, offset(0.01));
                    // Tags of 11 bits in a power of two of buckets of four.
                    case "cuckoofilter4j" ->
                            assertThat(bitsPerKey).isEqualTo(11.0 * SLOTS / KEYS, offset(0.1));
                    case "commonsCountingBloom" ->
                            assertThat(bitsPerKey).isBetween(32 * 11.5, 32 * 11.6);
                    // At most half full: 65536 slots of 64 bits.
                    case "fastutilSet" -> assertThat(structure.sizeInBytes()).isEqualTo(65_537 * 8);
                    default ->
                            assertThat(bitsPerKey).as("ours: %s", peer.id()).isBetween(8.0, 100.0);
                }
            }
        }
    }

    @Test
    void theLimitDoesWhatItsRowSays() {
        Structure limit = Peers.ONE_LINE.create(new Peer.Size(2 << 20, Peers.FPP));
        for (long i = 0; i < 1000; i++) {
            limit.insert(Keys.key(i));
        }
        long reported = 0;
        long added = 0;
        long removed = 0;
        for (long i = 0; i < 1000; i++) {
            assertThat(limit.contains(Keys.key(i))).isTrue();
            assertThat(limit.addIfAbsent(Keys.key(i))).isFalse();
            reported += limit.contains(Keys.absent().at(i)) ? 1 : 0;
            added += limit.addIfAbsent(Keys.absent().at(i)) ? 1 : 0;
        }
        for (long i = 0; i < 1000; i++) {
            removed += limit.remove(Keys.key(i)) ? 1 : 0;
        }
        assertThat(reported).isLessThan(10);
        assertThat(added).isBetween(990L, 1000L);
        assertThat(removed).isBetween(990L, 1000L);
    }

    @Test
    void whatDoesNotExistOrCannotBeMadeIsRefused() {
        assertThatThrownBy(() -> Peers.named(Set.of("nobody")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nobody")
                .hasMessageContaining("guavaBloom");
        assertThatThrownBy(() -> Peers.QUOTIENT.create(new Peer.Size(1000, Peers.FPP)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000");
        assertThatThrownBy(() -> new Peer.Size(0, Peers.FPP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("slots");
        assertThatThrownBy(() -> Peers.GUAVA.create(SIZE).remove(1))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
