/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MultisetDigestTest {

    private static final CuckooShape SHAPE = new CuckooShape(12, 8, 300);

    private static MultisetDigest digest(Map<Long, Long> set, long seed) {
        return MultisetDigest.of(TwoSides.root(set), SHAPE, Collisions.SEPARATE, seed);
    }

    private static byte[] bytes(MultisetDigest digest) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        digest.writeTo(out);
        return out.toByteArray();
    }

    private static MultisetDigest read(byte[] bytes) throws IOException {
        return MultisetDigest.readFrom(new ByteArrayInputStream(bytes), "test");
    }

    private static byte[] golden(Collisions collisions) {
        return GoldenFile.read("cuckoo/" + GoldenFiles.name(collisions));
    }

    @Test
    void theOrderOfElementsDoesNotMatter() {
        SplittableRandom random = Seeds.random();
        Map<Long, Long> set = TwoSides.random(random, 1_000, 0, 50).a;
        MultisetDigest digest = digest(set, 5);
        assertThat(digest.tellsTheSameSetAs(digest(new TreeMap<>(set), 5))).isTrue();
        assertThat(digest.totals().elements()).isEqualTo(1_000);
        assertThat(digest.totals().copies())
                .isEqualTo(set.values().stream().mapToLong(Long::longValue).sum());
        for (long hash : set.keySet().stream().limit(20).toList()) {
            Map<Long, Long> other = new TreeMap<>(set);
            other.merge(hash, 1L, Long::sum);
            assertThat(digest.tellsTheSameSetAs(digest(other, 5))).isFalse();
            other.remove(hash);
            assertThat(digest.tellsTheSameSetAs(digest(other, 5))).isFalse();
            other.put(hash + 1, set.get(hash));
            assertThat(digest.tellsTheSameSetAs(digest(other, 5))).isFalse();
        }
        assertThatThrownBy(() -> digest.tellsTheSameSetAs(digest(set, 6)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the same seed");
    }

    @Test
    void remixingIsAPermutationThatTheSeedChanges() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 1_000; i++) {
            long hash = random.nextLong();
            assertThat(MultisetDigest.remix(hash, 1)).isNotEqualTo(MultisetDigest.remix(hash, 2));
            assertThat(MultisetDigest.remix(hash, 1))
                    .isNotEqualTo(MultisetDigest.remix(hash ^ 1, 1));
        }
    }

    private static MultisetDigest readGolden(Collisions collisions) throws IOException {
        MultisetDigest again = GoldenFiles.digest(collisions);
        GoldenFile.assertStillWritten("cuckoo/" + GoldenFiles.name(collisions), bytes(again));
        byte[] bytes = golden(collisions);
        MultisetDigest digest = read(bytes);
        assertThat(digest.shape()).isEqualTo(GoldenFiles.shape(collisions));
        assertThat(digest.seed()).isEqualTo(GoldenFiles.SEED);
        assertThat(digest.collisions()).isEqualTo(collisions);
        assertThat(digest.totals().elements()).isEqualTo(350);
        assertThat(digest.totals().copies()).isEqualTo(350 * 351 / 2);
        assertThat(bytes(digest)).isEqualTo(bytes);
        assertThat(again.tellsTheSameSetAs(digest)).isTrue();
        return digest;
    }

    @Test
    void readsTheGoldenDigest() throws IOException {
        MultisetDigest digest = readGolden(Collisions.SEPARATE);
        MultisetDifference difference = MultisetDifference.byQuery(GoldenFiles.set(), digest);
        assertThat(difference.missing().size()).isZero();
        assertThat(difference.undecided().size()).as("ids from 254 on").isEqualTo(96);
    }

    @Test
    void readsTheGoldenDigestOfMergedCollisions() throws IOException {
        MultisetDigest digest = readGolden(Collisions.MERGED);
        int shared = (int) (350 - digest.filter().occupied());
        assertThat(shared).isGreaterThan(5);
        MultisetDifference difference = MultisetDifference.byQuery(GoldenFiles.set(), digest);
        assertThat(difference.missing().size()).isZero();
        assertThat(difference.fewer().size()).isZero();
        assertThat(difference.undecided().size()).isZero();
        assertThat(difference.more().size())
                .as("elements that share a slot")
                .isBetween(shared + 1, 2 * shared);
    }

    /** Even between 2^31 and what the counters hold; beyond that they saturate. */
    @Test
    void multiplicitiesBeyondTwoToTheThirtyFirstAreCountedRight() {
        CuckooShape shape = new CuckooShape(20, 32, 20);
        long max = shape.maxCount();
        long[] multiplicities = {1, 1L << 31, (1L << 31) + 5, max - 1, max, max + 1, 1L << 40};
        RootSet set =
                visitor -> {
                    for (int i = 0; i < multiplicities.length; i++) {
                        visitor.element(i, multiplicities[i]);
                    }
                };
        RootSet fewer =
                visitor -> {
                    for (int i = 0; i < multiplicities.length; i++) {
                        visitor.element(i, Math.max(1, Math.min(multiplicities[i], max) - 1));
                    }
                };
        for (Collisions collisions : Collisions.values()) {
            MultisetDigest digest = MultisetDigest.of(set, shape, collisions, 3);
            for (int i = 0; i < multiplicities.length; i++) {
                assertThat(digest.filter().count(MultisetDigest.remix(i, 3)))
                        .isEqualTo(Math.min(multiplicities[i], max));
            }
            MultisetDigest peer = MultisetDigest.of(fewer, shape, collisions, 3);
            MultisetDifference decoded = MultisetDifference.byDecoding(set, digest, peer);
            assertThat(decoded.fewer().size()).as("all but the one").isEqualTo(6);
            assertThat(MultisetDifference.byQuery(set, peer).fewer().size()).isEqualTo(6);
        }
    }

    /** A stream that counts adds up to the maximum and stays there. */
    @Test
    void anyNumberOfCopiesSaturatesAndNeverOverflows() {
        CountingCuckooFilter filter =
                CountingCuckooFilter.create(new CuckooShape(20, 32, 20), Storage.HEAP);
        filter.insert(1, Long.MAX_VALUE);
        filter.insert(1, Long.MAX_VALUE);
        filter.insertSeparately(2, Long.MAX_VALUE);
        assertThat(filter.count(1)).isEqualTo(filter.maxCount());
        assertThat(filter.count(2)).isEqualTo(filter.maxCount());
    }

    @Tag("thorough")
    @Test
    void aFileThatNobodyWroteIsRefusedOrReadAsADigestThatWorks() throws IOException {
        Map<Long, Long> set = TwoSides.random(Seeds.random(), 20, 0, 9).a;
        RootSet root = TwoSides.root(set);
        CuckooShape shape = new CuckooShape(12, 8, 10);
        Mutations.areRefusedOrWork(
                20_000,
                MultisetDigest::readFrom,
                (digest, random) -> {
                    MultisetDifference.byQuery(root, digest);
                    if (digest.shape().slots() > 30) {
                        MultisetDigest own =
                                MultisetDigest.of(
                                        root, digest.shape(), digest.collisions(), digest.seed());
                        MultisetDifference.byDecoding(root, own, digest);
                        own.tellsTheSameSetAs(digest);
                    }
                    return bytes(digest);
                },
                bytes(MultisetDigest.of(root, shape, Collisions.SEPARATE, 5)),
                bytes(MultisetDigest.of(root, shape, Collisions.MERGED, 6)));
    }

    @ParameterizedTest
    @EnumSource
    void refusesDamage(Collisions collisions) {
        Damage.isAlwaysRefused(golden(collisions), MultisetDigest::readFrom);
    }

    @Test
    void knowsItsBytes() throws IOException {
        for (int f : new int[] {8, 13, 18}) {
            CuckooShape shape = new CuckooShape(f, 7, 130);
            MultisetDigest digest =
                    MultisetDigest.of(TwoSides.root(Map.of(1L, 2L)), shape, Collisions.MERGED, 3);
            assertThat(digest.serializedBytes()).isEqualTo(bytes(digest).length);
            assertThat(read(bytes(digest)).collisions()).isEqualTo(Collisions.MERGED);
        }
    }

    /** Right checksums, impossible content. */
    @Test
    void refusesWhatNoDigestCouldBe() throws IOException {
        MultisetDigest digest = digest(Map.of(1L, 2L, 2L, 3L), 1);
        for (long[] wrong : new long[][] {{2, 2}, {-1, 2}, {0, 1}, {0, 3}, {1, 1}}) {
            byte[] bytes = withParameters((int) wrong[0], wrong[1], digest);
            assertThatThrownBy(() -> read(bytes))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("impossible digest");
        }
        assertThat(read(withParameters(0, 2, digest)).totals().elements()).isEqualTo(2);
        assertThat(read(withParameters(1, 3, digest)).totals().elements()).isEqualTo(3);
    }

    private static byte[] withParameters(int collisions, long elements, MultisetDigest digest)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer parameters =
                ByteBuffer.allocate(36)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(collisions)
                        .putLong(1)
                        .putLong(elements)
                        .putLong(5)
                        .putLong(77)
                        .flip();
        new FilterWriter(out, MultisetDigestFormat.KIND, 1, parameters, 0).finish();
        digest.filter().writeTo(out);
        return out.toByteArray();
    }

    @Test
    void refusesAShapeWithoutRoom() {
        Map<Long, Long> set = TwoSides.random(Seeds.random(), 100, 0, 5).a;
        assertThatThrownBy(
                        () ->
                                MultisetDigest.of(
                                        TwoSides.root(set),
                                        new CuckooShape(12, 4, 20),
                                        Collisions.SEPARATE,
                                        0))
                .isInstanceOf(FilterFullException.class);
    }
}
