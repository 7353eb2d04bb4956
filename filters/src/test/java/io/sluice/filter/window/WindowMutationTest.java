/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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

    private static byte[] bytes(WindowedFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    /** A filter with {@code arrays} arrays, and an empty or a filling slice in the last one. */
    private static byte[] written(Layout layout, int idsPerWindow, int arrays) throws IOException {
        WindowedFilter filter =
                WindowedFilter.create(options(layout), new MemoryBudget(1 << 20), 0);
        for (int id = 0; id < 3 * idsPerWindow; id++) {
            filter.advanceTo(WINDOW * id / idsPerWindow);
            filter.add(Hashing.hash(id), filter.clock());
        }
        EnumSet.complementOf(EnumSet.of(layout)).stream()
                .limit(arrays - 1)
                .forEach(other -> filter.changeOptions(options(other)));
        return bytes(filter);
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void aFileThatNobodyWroteIsRefusedOrReadAsAFilterThatWorks(Layout layout) throws IOException {
        MemoryBudget budget = new MemoryBudget(1 << 18);
        Mutations.areRefusedOrWork(
                10_000,
                (in, source) -> WindowedFilter.readFrom(in, source, options(layout), budget),
                WindowMutationTest::use,
                written(layout, 40, 1),
                written(layout, 400, 2),
                written(layout, 40, 3));
        assertThat(budget.reserved()).isZero();
    }

    /** It would never leave the window, and its array would stay for ever. */
    @Test
    void anEmptySliceThatHasATimeIsRefused() throws IOException {
        WindowOptions options = options(Layout.BLOCKED);
        WindowedFilter filter = WindowedFilter.create(options, new MemoryBudget(1 << 20), 0);
        Generations generations = filter.segments().get(0).generations;
        generations.restore(generations.active(), 0, 0, 0, Long.MAX_VALUE - 1, 0);
        byte[] bytes = bytes(filter);
        assertThatThrownBy(
                        () ->
                                WindowedFilter.readFrom(
                                        new ByteArrayInputStream(bytes),
                                        "made up",
                                        options,
                                        new MemoryBudget(1 << 20)))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("a plane with impossible ids or times");
    }

    private static byte[] use(WindowedFilter filter, SplittableRandom random) throws IOException {
        for (int part = 0; part < 4; part++) {
            for (int i = 0; i < 10; i++) {
                long hash = random.nextLong();
                boolean reported = filter.mightContain(hash);
                if (filter.add(hash, filter.clock()) == reported || !filter.mightContain(hash)) {
                    throw new AssertionError("the filter does not keep its contract");
                }
            }
            if (!(filter.predictedFpp() >= 0 && filter.predictedFpp() <= 1)) {
                throw new AssertionError("predicted " + filter.predictedFpp());
            }
            filter.advanceTo(Times.plus(filter.clock(), random.nextLong(WINDOW)));
        }
        byte[] bytes = bytes(filter);
        filter.close();
        return bytes;
    }
}
