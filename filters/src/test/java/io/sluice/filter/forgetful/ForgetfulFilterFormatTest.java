/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.GoldenSequence;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The persistent form: golden files, which must be readable for ever, and damage. */
class ForgetfulFilterFormatTest {

    private static WindowOptions options(Layout layout) {
        return WindowOptions.builder()
                .windowMillis(1_000)
                .falsePositiveProbability(1e-3)
                .layout(layout)
                .build();
    }

    private static byte[] golden(String name) {
        return GoldenFile.read("forgetful/" + name);
    }

    private static ForgetfulFilter window(byte[] bytes, Layout layout) throws IOException {
        return window(new ByteArrayInputStream(bytes), "golden", layout);
    }

    private static ForgetfulFilter window(InputStream in, String source, Layout layout)
            throws IOException {
        return ForgetfulFilter.readFrom(in, source, options(layout), new MemoryBudget(1 << 20));
    }

    private static byte[] bytes(ForgetfulFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void readsTheGoldenWindow(Layout layout) throws IOException {
        GoldenFile.assertStillWritten(
                "forgetful/" + GoldenFiles.name(layout), bytes(GoldenFiles.window(layout)));
        byte[] bytes = golden(GoldenFiles.name(layout));
        ForgetfulFilter filter = window(bytes, layout);
        assertThat(filter.clock()).isEqualTo(GoldenFiles.CLOCK);
        for (long id = GoldenFiles.FIRST_HELD; id < GoldenFiles.IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), id)).as("id %d", id).isTrue();
        }
        assertThat(bytes(filter)).isEqualTo(bytes);
    }

    /** What was forgotten is not in the answers, though its bits are still in the bytes. */
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void readsTheGoldenWindowWithSlicesThatAreStillToBeEmptied(Layout layout) throws IOException {
        GoldenFile.assertStillWritten(
                "forgetful/" + GoldenFiles.retiredName(layout), bytes(GoldenFiles.retired(layout)));
        byte[] bytes = golden(GoldenFiles.retiredName(layout));
        WindowOptions options = GoldenFiles.fewOptions(layout, OverflowPolicy.FORGET_OLDEST);
        ForgetfulFilter filter = few(bytes, options);
        assertThat(filter.clock()).isEqualTo(GoldenFiles.RETIRED_CLOCK);
        assertThat(filter.segments()).hasSize(1);
        assertThat(Long.bitCount(filter.segments().get(0).array.dirty())).isGreaterThan(1);
        long firstHeld = GoldenFiles.RETIRED_CLOCK - GoldenFiles.FEW_WINDOW;
        assertThat(filter.coveredSince()).isBetween(1L, firstHeld);
        for (long id = firstHeld; id < GoldenFiles.FEW_IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), id)).as("id %d", id).isTrue();
        }
        int stillSeen = 0;
        for (long id = 0; id < filter.coveredSince(); id++) {
            stillSeen += filter.mightContain(Hashing.hash(id), id) ? 1 : 0;
        }
        assertThat(stillSeen).as("of %d forgotten ids", filter.coveredSince()).isLessThan(5);
        assertThat(bytes(filter)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenWindowsThatOverflowedBeforeAnyClock(OverflowPolicy policy)
            throws IOException {
        for (Layout layout : Tables.LAYOUTS) {
            GoldenFile.assertStillWritten(
                    "forgetful/" + GoldenFiles.clocklessName(policy, layout),
                    bytes(GoldenFiles.clockless(policy, layout)));
            byte[] bytes = golden(GoldenFiles.clocklessName(policy, layout));
            WindowOptions options = GoldenFiles.fewOptions(layout, policy);
            ForgetfulFilter filter = few(bytes, options);
            assertThat(filter.clock()).isEqualTo(Long.MIN_VALUE);
            assertThat(filter.options()).isEqualTo(options);
            assertThat(filter.segments()).hasSizeGreaterThan(1);
            assertThat(filter.overflows()).isPositive();
            long firstHeld = policy == OverflowPolicy.FAIL ? 0 : filter.coveredSince();
            assertThat(filter.idsHeld()).isGreaterThan(GoldenFiles.FEW_WINDOW);
            for (long id = firstHeld; id < firstHeld + filter.idsHeld(); id++) {
                assertThat(filter.mightContain(Hashing.hash(id), id))
                        .as("%s: id %d", layout, id)
                        .isTrue();
            }
            assertThat(bytes(filter)).isEqualTo(bytes);
        }
    }

    @Test
    void readsTheGoldenWindowWithIdsAheadOfTheClock() throws IOException {
        ForgetfulFilter written = GoldenFiles.ahead();
        GoldenFile.assertStillWritten("forgetful/" + GoldenFiles.AHEAD_NAME, bytes(written));
        byte[] bytes = golden(GoldenFiles.AHEAD_NAME);
        WindowOptions options =
                GoldenFiles.fewOptions(Layout.QUOTIENT, OverflowPolicy.FORGET_OLDEST);
        ForgetfulFilter filter = few(bytes, options);
        assertThat(filter.clock()).isEqualTo(written.clock()).isPositive();
        assertThat(filter.overflows()).isEqualTo(written.overflows()).isPositive();
        assertThat(filter.coveredSince()).isEqualTo(written.coveredSince());
        assertThat(filter.coveredBehind())
                .isEqualTo(written.coveredBehind())
                .isBetween(1L, filter.coveredSince());
        int covered = 0;
        for (long id = 0; GoldenFiles.clockAhead(id) < filter.clock(); id++) {
            long time = GoldenFiles.timeAhead(id);
            boolean wasAhead = time > GoldenFiles.clockAhead(id);
            if (time >= (wasAhead ? filter.coveredSince() : filter.coveredBehind())) {
                assertThat(filter.mightContain(Hashing.hash(id), time)).as("id %d", id).isTrue();
                covered++;
            }
        }
        assertThat(covered).isGreaterThan(50);
        assertThat(bytes(filter)).isEqualTo(bytes);
    }

    @Test
    void readsTheGoldenWindowWithoutIds() throws IOException {
        GoldenFile.assertStillWritten(
                "forgetful/" + GoldenFiles.EMPTY_NAME, bytes(GoldenFiles.empty()));
        byte[] bytes = golden(GoldenFiles.EMPTY_NAME);
        WindowOptions options = GoldenFiles.fewOptions(Layout.QUOTIENT, OverflowPolicy.FAIL);
        ForgetfulFilter filter = few(bytes, options);
        assertThat(filter.options()).isEqualTo(options);
        assertThat(filter.clock()).isEqualTo(Long.MIN_VALUE);
        assertThat(filter.coveredSince()).isEqualTo(Long.MIN_VALUE);
        assertThat(filter.idsHeld()).isZero();
        assertThat(filter.mightContain(Hashing.hash(0L), 0)).isFalse();
        assertThat(bytes(filter)).isEqualTo(bytes);
    }

    /** Bits of a fingerprint, or slots of a line: what a window may choose. */
    private static Integer[] widths(Layout layout) {
        return switch (layout) {
            case FINGERPRINTS -> new Integer[] {8, 8, 11, 16, 27, 27, 58, 58, 58};
            default -> new Integer[] {32, 32, 32, 29, 20, 16, 12, 10, 9};
        };
    }

    private static int width(Geometry geometry) {
        return geometry.perLine();
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void readsTheGoldenWindowsOfAllShapes(Layout layout) throws IOException {
        GoldenSequence golden = new GoldenSequence("forgetful/" + GoldenFiles.shapesName(layout));
        List<Integer> widths = new ArrayList<>();
        for (GoldenFiles.Shape shape : GoldenFiles.SHAPES) {
            WindowOptions options = GoldenFiles.options(layout, shape);
            ForgetfulFilter filter =
                    golden.next(
                            (in, source) ->
                                    ForgetfulFilter.readFrom(
                                            in, source, options, new MemoryBudget(1 << 20)),
                            GoldenFiles.ofShape(layout, shape));
            assertThat(filter.segments()).hasSize(1);
            widths.add(width(filter.segments().get(0).array.geometry()));
            assertThat(filter.idsHeld()).isEqualTo(GoldenFiles.SHAPE_IDS);
            for (long id = 0; id < GoldenFiles.SHAPE_IDS; id++) {
                assertThat(filter.mightContain(Hashing.hash(id), id))
                        .as("%s: id %d", shape, id)
                        .isTrue();
            }
            int others = 0;
            for (long id = 1; id <= 1_000; id++) {
                others += filter.mightContain(Hashing.hash(-id), id) ? 1 : 0;
            }
            assertThat((double) others)
                    .as("%s: ids that never came", shape)
                    .isLessThan(1_000 * shape.fpp() + 5);
        }
        assertThat(widths).containsExactly(widths(layout));
        golden.assertEnds();
    }

    /** The same filter, with right checksums. */
    private static byte[] withOverflows(byte[] bytes, long overflows) throws IOException {
        FilterReader reader =
                new FilterReader(
                        new ByteArrayInputStream(bytes),
                        "golden",
                        ForgetfulFilterFormat.KIND,
                        ForgetfulFilterFormat.VERSION);
        int offset = 7 * Long.BYTES + 2;
        ByteBuffer parameters = reader.parameters().putLong(offset, overflows);
        long[] words = reader.words((int) (reader.payloadLeft() / Long.BYTES));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out, reader.kind(), reader.version(), parameters, 8L * words.length);
        writer.words(words, 0, words.length);
        writer.finish();
        return out.toByteArray();
    }

    /** Nobody counts so far; but what is read can be used, and read again when it was written. */
    @Test
    void overflowsAreCountedAsFarAsTheyAreRead() throws IOException {
        OverflowPolicy policy = OverflowPolicy.FORGET_OLDEST;
        byte[] bytes = golden(GoldenFiles.clocklessName(policy, Layout.QUOTIENT));
        WindowOptions options = GoldenFiles.fewOptions(Layout.QUOTIENT, policy);
        for (long overflows : new long[] {-1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> few(withOverflows(bytes, overflows), options))
                    .isInstanceOf(CorruptFilterException.class);
        }
        ForgetfulFilter filter = few(withOverflows(bytes, 1L << 62), options);
        for (long id = 0; filter.overflows() == 1L << 62; id++) {
            filter.add(Hashing.hash(-1 - id), 0);
        }
        assertThat(few(bytes(filter), options).overflows()).isEqualTo(1L << 62);
    }

    private static ForgetfulFilter few(byte[] bytes, WindowOptions options) throws IOException {
        return ForgetfulFilter.readFrom(
                new ByteArrayInputStream(bytes), "golden", options, new MemoryBudget(1 << 20));
    }

    @Tag("thorough")
    @Test
    void refusesEveryFlippedByteAndEveryPrefix() throws IOException {
        for (Layout layout : Tables.LAYOUTS) {
            Damage.isAlwaysRefused(
                    golden(GoldenFiles.name(layout)), (in, source) -> window(in, source, layout));
        }
    }

    @Tag("thorough")
    @Test
    void refusesDamageOfTheSmallFiles() {
        List<String> names =
                new ArrayList<>(List.of(GoldenFiles.AHEAD_NAME, GoldenFiles.EMPTY_NAME));
        for (Layout layout : Tables.LAYOUTS) {
            names.add(GoldenFiles.retiredName(layout));
            for (OverflowPolicy policy : OverflowPolicy.values()) {
                names.add(GoldenFiles.clocklessName(policy, layout));
            }
        }
        for (String name : names) {
            Damage.isAlwaysRefused(
                    golden(name), (in, source) -> window(in, source, Layout.QUOTIENT));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void aRestoreMayChangeTheLayout(Layout layout) throws IOException {
        ForgetfulFilter filter = window(golden("v5-window-fingerprints.bin"), layout);
        for (long id = GoldenFiles.FIRST_HELD; id < GoldenFiles.IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id), id)).as("id %d", id).isTrue();
        }
    }

    @Test
    void refusesTheOtherKind() {
        assertThatThrownBy(() -> window(GoldenFile.read("quotient/v2-set.bin"), Layout.QUOTIENT))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("kind 3, expected kind 1");
    }

    /** Its lines had whole columns only. */
    @Test
    void refusesTheVersionBefore() {
        assertThatThrownBy(() -> window(golden("v4-empty.bin"), Layout.QUOTIENT))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("version 4");
    }

    @Test
    void aFailedReadLeavesTheBudgetAsItWas() throws IOException {
        byte[] bytes = golden("v5-window-quotient.bin");
        bytes[bytes.length - 1] ^= 1;
        MemoryBudget budget = new MemoryBudget(1 << 20);
        assertThatThrownBy(
                        () ->
                                ForgetfulFilter.readFrom(
                                        new ByteArrayInputStream(bytes),
                                        "cut",
                                        options(Layout.QUOTIENT),
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
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(1 << 20), 0);
        for (long id = 0; id < 5_000; id++) {
            filter.advanceTo(id / 2);
            filter.add(Hashing.hash(id), id / 2);
        }
        byte[] written = bytes(filter);
        ForgetfulFilter read =
                ForgetfulFilter.readFrom(
                        new ByteArrayInputStream(written),
                        "a copy",
                        options,
                        new MemoryBudget(1 << 20));
        assertThat(bytes(read)).isEqualTo(written);
        for (long id = 3_000; id < 5_000; id++) {
            assertThat(read.mightContain(Hashing.hash(id), id / 2)).isTrue();
        }
    }
}
