/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.sluice.bench.rate.Structure;
import io.sluice.bench.rate.StructureContract;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PeersTest {
    private static final int KEYS = 20_000;
    private static final double FPP = 1.0 / 256;

    private static List<Structure> all() {
        return List.of(
                new FastfilterBloom(KEYS, 11.54),
                new FastfilterBlockedBloom(KEYS, 16),
                new FastfilterCuckoo8(KEYS, 0.95),
                new FastfilterCuckoo16(KEYS, 0.95),
                new GuavaBloom(KEYS, FPP),
                new DataSketchesBloom(KEYS, FPP),
                new Cuckoofilter4j(KEYS, FPP),
                new CommonsCountingBloom(KEYS, FPP),
                new FastutilSet(KEYS));
    }

    @TestFactory
    List<DynamicTest> everyPeerKeepsTheContract() {
        return all().stream()
                .map(
                        peer ->
                                DynamicTest.dynamicTest(
                                        peer.id(), () -> StructureContract.check(peer, 0.04)))
                .toList();
    }

    @Test
    void noTwoPeersShareAName() {
        assertThat(all()).extracting(Structure::id).doesNotHaveDuplicates();
        assertThat(all()).extracting(Structure::name).doesNotHaveDuplicates();
    }

    @Test
    void sizesAreThoseOfTheTables() {
        for (Structure peer : all()) {
            peer.begin();
            double bitsPerKey = 8.0 * peer.sizeInBytes() / KEYS;
            switch (peer.id()) {
                case "fastfilterBloom", "guavaBloom", "dataSketchesBloom" ->
                        assertThat(bitsPerKey).as(peer.id()).isBetween(11.5, 11.6);
                case "fastfilterBlockedBloom" ->
                        assertThat(bitsPerKey).as(peer.id()).isBetween(16.0, 16.3);
                case "fastfilterCuckoo8" -> assertThat(bitsPerKey).isEqualTo(8.0);
                case "fastfilterCuckoo16" -> assertThat(bitsPerKey).isEqualTo(16.0);
                // Tags of 11 bits in a power of two of buckets of four.
                case "cuckoofilter4j" ->
                        assertThat(bitsPerKey).isEqualTo(11.0 * (1 << 15) / KEYS, offset(0.1));
                case "commonsCountingBloom" ->
                        assertThat(bitsPerKey).isBetween(32 * 11.5, 32 * 11.6);
                // 20000 keys at most half full: 65536 slots of 64 bits.
                case "fastutilSet" -> assertThat(peer.sizeInBytes()).isEqualTo(65_537 * 8);
                default -> throw new AssertionError("no size is stated for " + peer.id());
            }
            peer.end();
        }
    }

    @Test
    void aCuckooFilterIsNotFilledToWhereItLosesKeys() {
        assertThatThrownBy(() -> new FastfilterCuckoo16(1024, 0.99))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.95")
                .hasMessageContaining("0.99");
    }
}
