/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.plane.GeometryFormat;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files with right checksums that no filter wrote. */
class ForgetfulMutationTest {

    private static ForgetfulBloomFilter filter(
            SeenRule rule, ForgetfulBloomFilterBuilder builder, int past) {
        ForgetfulBloomFilter filter = builder.rule(rule).pastFilters(past).build();
        for (int slice = 0; slice < past + 3; slice++) {
            filter.refresh();
            for (int i = 0; i < 20; i++) {
                filter.add(100L * slice + i);
            }
        }
        return filter;
    }

    private static byte[] bytes(ForgetfulBloomFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @Test
    void aFileThatNobodyWroteIsRefusedOrReadAsAFilterThatWorks() throws IOException {
        Mutations.areRefusedOrWork(
                20_000,
                ForgetfulBloomFilter::readFrom,
                ForgetfulMutationTest::use,
                bytes(
                        filter(
                                SeenRule.SLICES,
                                ForgetfulBloomFilter.builder().blocked(300, 2, 4),
                                2)),
                bytes(filter(SeenRule.SLICES, ForgetfulBloomFilter.builder().scattered(300, 7), 9)),
                bytes(
                        filter(
                                SeenRule.NEIGHBOUR_PAIRS,
                                ForgetfulBloomFilter.builder().scattered(300, 5),
                                4)),
                bytes(
                        filter(
                                SeenRule.SIMPLE,
                                ForgetfulBloomFilter.builder().scattered(300, 5),
                                1)));
    }

    private static byte[] use(ForgetfulBloomFilter filter, SplittableRandom random)
            throws IOException {
        for (int refresh = 0; refresh < 4; refresh++) {
            for (int i = 0; i < 10; i++) {
                long hash = random.nextLong();
                boolean reported = filter.mightContain(hash);
                if (filter.add(hash) == reported || !filter.mightContain(hash)) {
                    throw new AssertionError("the filter does not keep its contract");
                }
            }
            if (!(filter.predictedFpp() >= 0 && filter.predictedFpp() <= 1)) {
                throw new AssertionError("predicted " + filter.predictedFpp());
            }
            filter.refresh();
        }
        filter.setPastFilters(random.nextInt(1, filter.maxPastFilters() + 1));
        return bytes(filter);
    }

    @Test
    void anAdaptiveFilterThatNobodyWroteIsRefusedOrWorks() throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        AdaptiveForgetfulFilter filter =
                new AdaptiveForgetfulFilter(
                        ForgetfulBloomFilter.builder()
                                .pastFilters(2)
                                .maxPastFilters(5)
                                .scattered(300, 5)
                                .build(),
                        ResizePolicy.fixed(),
                        400,
                        1_000,
                        100,
                        1e-3,
                        0);
        for (long id = 0; id < 2_000; id++) {
            filter.advanceTo(id);
            if (id % 20 == 0) {
                filter.add(id);
            }
        }
        filter.writeTo(written);
        Mutations.areRefusedOrWork(
                20_000,
                (in, source) -> AdaptiveForgetfulFilter.readFrom(in, source, ResizePolicy.fixed()),
                (read, random) -> {
                    for (int i = 0; i < 10; i++) {
                        read.add(random.nextLong());
                        read.advanceTo(read.clock() + 7);
                    }
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    read.writeTo(out);
                    return out.toByteArray();
                },
                written.toByteArray());
    }

    /** Tables are the layouts of another structure. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aForgetfulFilterOfFingerprintsIsRefused(Layout layout) throws IOException {
        int columns = layout == Layout.QUOTIENT ? 4 : 12;
        assertRefused(GeometryFormat.code(layout), 8, 1, columns, 0, 0, "impossible parameters");
        assertThatThrownBy(
                        () ->
                                ForgetfulBloomFilter.builder()
                                        .layout(layout)
                                        .sized(100, 1e-3)
                                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SCATTERED or BLOCKED");
    }

    /** Every id set a bit; so no slice can grow until its number of ids overflows. */
    @Test
    void moreIdsThanBitsAreRefused() throws IOException {
        byte scattered = GeometryFormat.code(Layout.SCATTERED);
        assertRefused(scattered, 8, 0, 7, 1, 0, "a slice of 1 ids with 0 bits");
        assertRefused(scattered, 8, 0, 7, Long.MAX_VALUE, 0, "ids with 0 bits");
        assertRefused(scattered, 8, 0, 7, -1, 0, "a slice of -1 ids");
    }

    @Test
    void bitsInAPlaneThatIsNotInUseAreRefused() throws IOException {
        byte scattered = GeometryFormat.code(Layout.SCATTERED);
        assertRefused(scattered, 8, 0, 7, 0, 1L << 5, "a plane that is not in use");
    }

    /** One cache line, one slice in plane 0. */
    private static void assertRefused(
            byte layout, int wordBits, int lines, int perLine, long ids, long word, String why)
            throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(45)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .put((byte) SeenRule.SLICES.code())
                        .put(layout)
                        .put((byte) wordBits)
                        .put((byte) lines)
                        .put((byte) perLine)
                        .putLong(64)
                        .putInt(1)
                        .putInt(0)
                        .putInt(0)
                        .putLong(0)
                        .putInt(1)
                        .putLong(ids);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        ForgetfulBloomFilterFormat.KIND,
                        ForgetfulBloomFilterFormat.VERSION_CURRENT,
                        parameters.flip(),
                        64);
        writer.words(new long[] {word, 0, 0, 0, 0, 0, 0, 0}, 0, 8);
        writer.finish();
        assertThatThrownBy(
                        () ->
                                ForgetfulBloomFilter.readFrom(
                                        new ByteArrayInputStream(out.toByteArray()), "made up"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining(why);
    }
}
