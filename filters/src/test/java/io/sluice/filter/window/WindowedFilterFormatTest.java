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
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @CsvSource({
        "v3-window-blocked.bin, BLOCKED",
        "v3-window-fingerprints.bin, FINGERPRINTS",
        "v3-window-quotient.bin, QUOTIENT"
    })
    void readsTheGoldenWindow(String name, Layout layout) throws IOException {
        WindowedFilter filter = window(golden(name), layout);
        assertThat(filter.clock()).isEqualTo(GoldenFiles.CLOCK);
        for (long id = GoldenFiles.FIRST_HELD; id < GoldenFiles.IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        assertThat(bytes(filter)).isEqualTo(golden(name));
    }

    @Test
    void refusesEveryFlippedByteAndEveryPrefix() throws IOException {
        for (Layout layout : new Layout[] {Layout.BLOCKED, Layout.FINGERPRINTS, Layout.QUOTIENT}) {
            String name = "v3-window-" + layout.name().toLowerCase(Locale.ROOT) + ".bin";
            Damage.isAlwaysRefused(golden(name), (in, source) -> window(in, source, layout));
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
