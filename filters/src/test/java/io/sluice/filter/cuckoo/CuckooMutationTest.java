/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files with right checksums that no filter wrote. */
class CuckooMutationTest {

    @Tag("thorough")
    @Test
    void aFileThatNobodyWroteIsRefusedOrReadAsAFilterThatWorks() throws IOException {
        Mutations.areRefusedOrWork(
                20_000,
                (in, source) -> CountingCuckooFilter.readFrom(in, source, Storage.HEAP),
                CuckooMutationTest::use,
                file(12, 4, 10),
                file(4, 2, 2),
                file(13, 9, 6),
                file(23, 3, 8),
                file(32, 32, 4));
    }

    private static byte[] file(int fingerprintBits, int counterBits, long buckets)
            throws IOException {
        CuckooShape shape = new CuckooShape(fingerprintBits, counterBits, buckets);
        CountingCuckooFilter filter = CountingCuckooFilter.create(shape, Storage.HEAP);
        for (int i = 0; i < shape.slots() / 2; i++) {
            filter.insert(i, 1 + i % 3);
        }
        return bytes(filter);
    }

    private static byte[] bytes(CountingCuckooFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] use(CountingCuckooFilter filter, SplittableRandom random)
            throws IOException {
        assertThat(filter.buckets().occupiedIfSound()).isEqualTo(filter.occupied());
        assertThat(filter.predictedFpp()).isBetween(0.0, 1.0);
        long[] counts = new long[8];
        for (int i = 0; i < 30; i++) {
            long hash = random.nextInt(100);
            long before = filter.count(hash);
            try {
                filter.insert(hash, 1 + random.nextInt(3));
                check(filter.count(hash) >= Math.min(before + 1, filter.maxCount()));
                filter.insertSeparately(hash, 1);
                check(filter.slotCounts(hash, counts) >= 1);
            } catch (FilterFullException full) {
                check(filter.load() > 0.2);
            }
            filter.remove(random.nextInt(100));
            filter.removeAll(random.nextInt(100));
        }
        CountingCuckooFilter copy = filter.copy();
        copy.cancelEqualSlots(filter.copy());
        check(copy.occupied() >= 0);
        assertThat(filter.buckets().occupiedIfSound()).isEqualTo(filter.occupied());
        return bytes(filter);
    }

    private static void check(boolean right) {
        if (!right) {
            throw new AssertionError("the filter does not keep its contract");
        }
    }
}
