/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.ForgetfulBloomFilter;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The persistent form: golden files, which must be readable for ever, and damage. */
class WindowedFilterFormatTest {

    private static final String GOLDEN = "/golden/window/";

    private static WindowOptions options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(1_000)
                .falsePositiveProbability(1e-3)
                .layout(layout)
                .build();
    }

    private static byte[] golden(String name) throws IOException {
        try (InputStream in = WindowedFilterFormatTest.class.getResourceAsStream(GOLDEN + name)) {
            return in.readAllBytes();
        }
    }

    private static WindowedFilter window(byte[] bytes, Layout layout) throws IOException {
        return window(new ByteArrayInputStream(bytes), "golden", layout);
    }

    private static WindowedFilter window(InputStream in, String source, Layout layout)
            throws IOException {
        return WindowedFilter.readFrom(in, source, options(layout), new MemoryBudget(1 << 20));
    }

    private static byte[] bytes(WindowedFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] forgetful() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ForgetfulBloomFilter.builder().scattered(4_000, 7).build().writeTo(out);
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenWindow(Layout layout) throws IOException {
        byte[] bytes = golden(GoldenFiles.name(layout));
        WindowedFilter filter = window(bytes, layout);
        assertThat(filter.clock()).isEqualTo(GoldenFiles.CLOCK);
        for (long id = GoldenFiles.FIRST_HELD; id < GoldenFiles.IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        assertThat(bytes(filter)).isEqualTo(bytes);
        assertThat(bytes(GoldenFiles.window(layout))).as("as written now").isEqualTo(bytes);
    }

    /** What was forgotten is not in the answers, though its bits are still in the bytes. */
    @ParameterizedTest
    @EnumSource
    void readsTheGoldenWindowWithSlicesThatAreStillToBeEmptied(Layout layout) throws IOException {
        byte[] bytes = golden(GoldenFiles.retiredName(layout));
        WindowOptions options = GoldenFiles.fewOptions(layout, OverflowPolicy.FORGET_OLDEST);
        WindowedFilter filter = few(bytes, options);
        assertThat(filter.clock()).isEqualTo(GoldenFiles.RETIRED_CLOCK);
        assertThat(filter.segments()).hasSize(1);
        assertThat(Long.bitCount(filter.segments().get(0).array.dirty())).isGreaterThan(1);
        long firstHeld = GoldenFiles.RETIRED_CLOCK - GoldenFiles.FEW_WINDOW;
        assertThat(filter.coveredSince()).isBetween(1L, firstHeld);
        for (long id = firstHeld; id < GoldenFiles.FEW_IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        int stillSeen = 0;
        for (long id = 0; id < filter.coveredSince(); id++) {
            stillSeen += filter.mightContain(Hashing.hash(id)) ? 1 : 0;
        }
        assertThat(stillSeen).as("of %d forgotten ids", filter.coveredSince()).isLessThan(5);
        assertThat(bytes(filter)).isEqualTo(bytes);
        assertThat(bytes(GoldenFiles.retired(layout))).as("as written now").isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenWindowThatOverflowedBeforeAnyClock(OverflowPolicy policy)
            throws IOException {
        byte[] bytes = golden(GoldenFiles.clocklessName(policy));
        WindowOptions options = GoldenFiles.fewOptions(Layout.QUOTIENT, policy);
        WindowedFilter filter = few(bytes, options);
        assertThat(filter.clock()).isEqualTo(Long.MIN_VALUE);
        assertThat(filter.options()).isEqualTo(options);
        assertThat(filter.segments()).hasSizeGreaterThan(1);
        assertThat(filter.overflows()).isPositive();
        long firstHeld = policy == OverflowPolicy.FAIL ? 0 : filter.coveredSince();
        assertThat(filter.idsHeld()).isGreaterThan(GoldenFiles.FEW_WINDOW);
        for (long id = firstHeld; id < firstHeld + filter.idsHeld(); id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        assertThat(bytes(filter)).isEqualTo(bytes);
        assertThat(bytes(GoldenFiles.clockless(policy))).as("as written now").isEqualTo(bytes);
    }

    private static WindowedFilter few(byte[] bytes, WindowOptions options) throws IOException {
        return WindowedFilter.readFrom(
                new ByteArrayInputStream(bytes), "golden", options, new MemoryBudget(1 << 20));
    }

    @Tag("thorough")
    @Test
    void refusesEveryFlippedByteAndEveryPrefix() throws IOException {
        for (Layout layout : new Layout[] {Layout.BLOCKED, Layout.FINGERPRINTS, Layout.QUOTIENT}) {
            Damage.isAlwaysRefused(
                    golden(GoldenFiles.name(layout)), (in, source) -> window(in, source, layout));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRestoreMayChangeTheLayout(Layout layout) throws IOException {
        WindowedFilter filter = window(golden("v3-window-fingerprints.bin"), layout);
        for (long id = GoldenFiles.FIRST_HELD; id < GoldenFiles.IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
    }

    @Test
    void refusesTheOtherKind() {
        assertThatThrownBy(() -> window(forgetful(), Layout.BLOCKED))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("kind 2, expected kind 1");
    }

    @Test
    void aFailedReadLeavesTheBudgetAsItWas() throws IOException {
        byte[] bytes = golden("v3-window-blocked.bin");
        bytes[bytes.length - 1] ^= 1;
        MemoryBudget budget = new MemoryBudget(1 << 20);
        assertThatThrownBy(
                        () ->
                                WindowedFilter.readFrom(
                                        new ByteArrayInputStream(bytes),
                                        "cut",
                                        options(Layout.BLOCKED),
                                        budget))
                .isInstanceOf(CorruptFilterException.class);
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void aWindowOfQuotientsIsReadAsItWasWritten() throws IOException {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(1_000)
                        .falsePositiveProbability(1e-3)
                        .expectedPerWindow(2_000)
                        .layout(Layout.QUOTIENT)
                        .build();
        WindowedFilter filter = WindowedFilter.create(options, new MemoryBudget(1 << 20), 0);
        for (long id = 0; id < 5_000; id++) {
            filter.advanceTo(id / 2);
            filter.add(Hashing.hash(id), id / 2);
        }
        byte[] written = bytes(filter);
        WindowedFilter read =
                WindowedFilter.readFrom(
                        new ByteArrayInputStream(written),
                        "a copy",
                        options,
                        new MemoryBudget(1 << 20));
        assertThat(bytes(read)).isEqualTo(written);
        for (long id = 3_000; id < 5_000; id++) {
            assertThat(read.mightContain(Hashing.hash(id))).isTrue();
        }
    }
}
