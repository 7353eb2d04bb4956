/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files with right checksums that no filter wrote. */
class QuotientMutationTest {

    @Tag("thorough")
    @Test
    void aFileThatNobodyWroteIsRefusedOrReadAsAFilterThatWorks() throws IOException {
        Mutations.areRefusedOrWork(
                20_000,
                (in, source) -> QuotientFilter.readFrom(in, source, Storage.HEAP),
                QuotientMutationTest::use,
                file(QuotientFilter.builder().bits(6, 8), 55, 1),
                file(QuotientFilter.builder().bits(1, 7).growing(), 20, 2),
                file(QuotientFilter.builder().bits(7, 13).maxLoad(1).growing(), 100, 3),
                file(QuotientFilter.builder().bits(5, 33).maxLoad(0.5), 16, 1),
                file(QuotientFilter.builder().bits(3, 60), 5, 1));
    }

    private static byte[] file(QuotientFilterBuilder builder, int keys, int copies)
            throws IOException {
        QuotientFilter filter = builder.build();
        for (long key = 0; filter.size() + copies <= keys; key++) {
            filter.insert(Hashing.hash(key), copies);
        }
        return bytes(filter);
    }

    private static byte[] bytes(QuotientFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] use(QuotientFilter filter, SplittableRandom random) throws IOException {
        filter.checkInvariants();
        long[] held = FingerprintModel.read(filter.cursor(), 64);
        assertThat(held).hasSize((int) filter.size()).isSorted();
        for (long fingerprint : held) {
            check(filter.containsFingerprint(fingerprint));
        }
        for (int i = 0; i < 30; i++) {
            long hash = random.nextLong();
            try {
                boolean absent = !filter.mightContain(hash);
                check(filter.add(hash) == absent);
                check(filter.mightContain(hash));
                filter.insert(hash);
                check(filter.count(hash) >= 2);
            } catch (FilterFullException full) {
                check(filter.size() >= filter.capacity() || filter.load() > 0.5);
            }
            if (held.length > 0) {
                long fingerprint = held[random.nextInt(held.length)];
                check(filter.containsFingerprint(fingerprint) || i > 0);
                filter.removeFingerprint(fingerprint);
            }
            filter.remove(random.nextLong());
        }
        filter.checkInvariants();
        check(filter.fpp() >= 0 && filter.fpp() <= 1);
        return bytes(filter);
    }

    private static void check(boolean right) {
        if (!right) {
            throw new AssertionError("the filter does not keep its contract");
        }
    }
}
