/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.Mutations;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of windows with right checksums that no filter wrote. */
class WindowMutationTest {

    private static final long WINDOW = 1_000;

    private static WindowOptions options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(1e-2)
                .expectedPerWindow(50)
                .layout(layout)
                .clockOfCaller()
                .build();
    }

    private static byte[] bytes(ForgetfulFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static Layout other(Layout layout) {
        return layout == Layout.QUOTIENT ? Layout.FINGERPRINTS : Layout.QUOTIENT;
    }

    /** A filter with {@code arrays} arrays, and one of ids that came late. */
    private static byte[] written(Layout layout, int idsPerWindow, int arrays) throws IOException {
        ForgetfulFilter filter =
                ForgetfulFilter.create(options(layout), new MemoryBudget(1 << 20), 0);
        for (int id = 0; id < 3 * idsPerWindow; id++) {
            filter.advanceTo(WINDOW * id / idsPerWindow);
            filter.add(Hashing.hash(id), filter.clock());
        }
        filter.add(Hashing.hash(-100), -WINDOW);
        for (int array = 1; array < arrays; array++) {
            filter.changeOptions(options(array % 2 == 0 ? layout : other(layout)));
            filter.add(Hashing.hash(-array), filter.clock());
        }
        return bytes(filter);
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aFileThatNobodyWroteIsRefusedOrReadAsAFilterThatWorks(Layout layout) throws IOException {
        MemoryBudget budget = new MemoryBudget(1 << 18);
        Mutations.areRefusedOrWork(
                10_000,
                (in, source) -> ForgetfulFilter.readFrom(in, source, options(layout), budget),
                WindowMutationTest::use,
                written(layout, 40, 1),
                written(layout, 400, 2),
                written(layout, 40, 3));
        assertThat(budget.reserved()).isZero();
    }

    private static byte[] use(ForgetfulFilter filter, SplittableRandom random) throws IOException {
        for (int part = 0; part < 4; part++) {
            for (int i = 0; i < 10; i++) {
                long hash = random.nextLong();
                boolean reported = filter.mightContain(hash, filter.clock());
                if (filter.add(hash, filter.clock()) == reported
                        || !filter.mightContain(hash, filter.clock())) {
                    throw new AssertionError("the filter does not keep its contract");
                }
            }
            if (!(filter.predictedFpp() >= 0 && filter.predictedFpp() <= 1)) {
                throw new AssertionError("predicted " + filter.predictedFpp());
            }
            filter.advanceTo(SaturatedTime.plus(filter.clock(), random.nextLong(WINDOW)));
        }
        byte[] bytes = bytes(filter);
        filter.close();
        return bytes;
    }
}
