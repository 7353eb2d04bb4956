/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowUnionTest {

    private static final long WINDOW = 8_000;
    private static final long START = 1_000_000;
    private static final int IDS = 5_000;

    private final SplittableRandom random = new SplittableRandom(Seeds.random().nextLong());

    private record Id(long hash, long time) {}

    private static WindowOptions options(double fpp, Layout layout, long expected) {
        return WindowOptions.builder()
                .windowMillis(WINDOW)
                .falsePositiveProbability(fpp)
                .layout(layout)
                .expectedPerWindow(expected)
                .clockOfCaller()
                .build();
    }

    private static ForgetfulFilter empty(WindowOptions options, long clock) {
        return ForgetfulFilter.create(options, new MemoryBudget(1 << 28), clock);
    }

    /** Adds ids of a window before the clock, and some ahead of it and behind the window. */
    private List<Id> fill(ForgetfulFilter filter, long around) {
        List<Id> ids = new ArrayList<>();
        for (int i = 0; i < IDS; i++) {
            long time = around - WINDOW * 3 / 2 + random.nextLong(3 * WINDOW);
            Id id = new Id(random.nextLong(), time);
            filter.insert(id.hash, id.time);
            ids.add(id);
        }
        return ids;
    }

    private static byte[] bytes(ForgetfulFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] union(byte[] base, byte[] other) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        WindowUnion.write(
                new ByteArrayInputStream(base),
                "base",
                new ByteArrayInputStream(other),
                "other",
                WindowUnion.Clocks.UNKNOWN,
                out);
        return out.toByteArray();
    }

    private static ForgetfulFilter read(byte[] bytes, WindowOptions options) throws IOException {
        return ForgetfulFilter.readFrom(
                new ByteArrayInputStream(bytes), "union", options, new MemoryBudget(1 << 28));
    }

    /** The other's clock is where the base's is, behind it by less or more than a window, ahead. */
    @ParameterizedTest
    @CsvSource({
        "0, QUOTIENT, 1e-4",
        "-3000, QUOTIENT, 1e-4",
        "-20000, FINGERPRINTS, 1e-3",
        "3000, QUOTIENT, 1e-3",
        "20000, FINGERPRINTS, 1e-4"
    })
    void whatEitherHoldsIsHeldForAsLongAsThere(long ahead, Layout layout, double fpp)
            throws IOException {
        WindowOptions options = options(1e-4, Layout.QUOTIENT, IDS);
        ForgetfulFilter base = empty(options, START);
        ForgetfulFilter other = empty(options(fpp, layout, 100), START + ahead);
        List<Id> inBase = fill(base, START);
        List<Id> inOther = fill(other, START + ahead);

        ForgetfulFilter union = read(union(bytes(base), bytes(other)), options);

        assertThat(union.clock()).isEqualTo(START);
        assertThat(union.idsHeld()).isEqualTo(base.idsHeld() + other.idsHeld());
        for (long later = 0; later <= 3 * WINDOW; later += WINDOW / 16) {
            base.advanceTo(START + later);
            other.advanceTo(START + ahead + later);
            union.advanceTo(START + later);
            for (Id id : inBase) {
                if (base.mightContain(id.hash, id.time)) {
                    assertThat(union.mightContain(id.hash, id.time)).isTrue();
                }
            }
            for (Id id : inOther) {
                if (other.mightContain(id.hash, id.time)) {
                    assertThat(union.mightContain(id.hash, id.time)).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true", "true, true"})
    void whereOneDoesNotKnowTheTimeTheClocksOfOthersSayHowLongIdsAreHeld(
            boolean baseKnows, boolean otherKnows) throws IOException {
        long ahead = 5 * WINDOW;
        WindowOptions options = options(1e-4, Layout.QUOTIENT, IDS);
        ForgetfulFilter base = empty(options, baseKnows ? START + ahead : Long.MIN_VALUE);
        ForgetfulFilter other = empty(options, otherKnows ? START : Long.MIN_VALUE);
        List<Id> inOther = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Id id = new Id(random.nextLong(), START - random.nextLong(WINDOW));
            other.insert(id.hash, id.time);
            inOther.add(id);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        WindowUnion.write(
                new ByteArrayInputStream(bytes(base)),
                "base",
                new ByteArrayInputStream(bytes(other)),
                "other",
                new WindowUnion.Clocks(START + ahead, START),
                out);
        ForgetfulFilter union = read(out.toByteArray(), options);
        union.advanceTo(START + ahead + 1);
        assertThat(inOther).allMatch(id -> union.mightContain(id.hash, id.time));
        union.advanceTo(START + ahead + 3 * WINDOW);
        assertThat(union.idsHeld()).isZero();
    }

    @Test
    void whatNeitherReportsIsNotReportedAndTheProbabilityIsThatOfBoth() throws IOException {
        WindowOptions options = options(0.1, Layout.FINGERPRINTS, IDS);
        ForgetfulFilter base = empty(options, START);
        ForgetfulFilter other = empty(options, START);
        List<Id> inBase = fill(base, START);
        List<Id> inOther = fill(other, START);
        assertThat(inBase).hasSameSizeAs(inOther);

        byte[] bytes = union(bytes(base), bytes(other));
        ForgetfulFilter union = read(bytes, options);

        int asked = 200_000;
        int reported = 0;
        for (int i = 0; i < asked; i++) {
            long hash = random.nextLong();
            boolean either = base.mightContain(hash, START) || other.mightContain(hash, START);
            assertThat(union.mightContain(hash, START)).isEqualTo(either);
            reported += either ? 1 : 0;
        }
        double ofBoth = 1 - (1 - stored(bytes(base))) * (1 - stored(bytes(other)));
        assertThat(stored(bytes)).isCloseTo(ofBoth, withinPercentage(1));
        // Only a part of the slices is in reach of one time.
        assertThat((double) reported / asked).isBetween(ofBoth / 10, 1.2 * ofBoth);
    }

    private static double stored(byte[] bytes) throws IOException {
        return StoredWindow.readFrom(new ByteArrayInputStream(bytes), "filter").predictedFpp();
    }

    @Test
    void theUnionGoesOnAndLosesWhatTheOtherHeldWithItsWindow() throws IOException {
        WindowOptions options = options(1e-6, Layout.QUOTIENT, IDS);
        ForgetfulFilter base = empty(options, START);
        ForgetfulFilter other = empty(options, START);
        List<Id> inBase = fill(base, START);
        fill(other, START);
        ForgetfulFilter union = read(union(bytes(base), bytes(other)), options);
        long both = union.sizeInBytes();
        for (long later = 0; later < 6 * WINDOW; later += 10) {
            union.advanceTo(START + later);
            Id id = new Id(random.nextLong(), START + later);
            assertThat(union.add(id.hash, id.time)).isTrue();
            assertThat(union.add(id.hash, id.time)).isFalse();
        }
        assertThat(union.sizeInBytes()).isLessThan(both);
        for (Id id : inBase) {
            assertThat(union.mightContain(id.hash, id.time)).isFalse();
        }
        assertThat(union.overflows()).isZero();
    }

    @Test
    void whatTheOtherHadForgottenIsNotSaidToBeCovered() throws IOException {
        WindowOptions options = options(1e-4, Layout.QUOTIENT, IDS);
        ForgetfulFilter base = empty(options, START);
        ForgetfulFilter other = empty(options, START);
        fill(base, START);
        fill(other, START);
        other.advanceTo(START + 2 * WINDOW);

        ForgetfulFilter union = read(union(bytes(base), bytes(other)), options);

        assertThat(union.coveredSince()).isEqualTo(other.coveredSince());
        assertThat(union.coveredBehind()).isEqualTo(base.coveredBehind());
    }

    @Test
    void anotherWindowAndTooManyArraysAreRefused() throws IOException {
        WindowOptions options = options(1e-4, Layout.QUOTIENT, IDS);
        byte[] base = bytes(empty(options, START));
        ForgetfulFilter longer =
                ForgetfulFilter.create(
                        WindowOptions.builder().windowMillis(2 * WINDOW).clockOfCaller().build(),
                        new MemoryBudget(1 << 28),
                        START);
        fill(longer, START);
        assertThatThrownBy(() -> union(base, bytes(longer)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("windowMillis is 8000 and 16000");

        ForgetfulFilter other = empty(options, START);
        fill(other, START);
        byte[] one = bytes(other);
        byte[] most = one;
        for (int arrays = held(one); arrays + held(one) <= HeldSegments.MAX_SEGMENTS; ) {
            most = union(most, one);
            arrays = held(most);
        }
        byte[] full = most;
        assertThat(read(full, options).idsHeld()).isPositive();
        assertThatThrownBy(() -> union(full, one))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("that a filter can read");
    }

    private static int held(byte[] bytes) throws IOException {
        return StoredWindow.readFrom(new ByteArrayInputStream(bytes), "filter").segments().size();
    }

    @Test
    void damageIsNoticed() throws IOException {
        WindowOptions options = options(1e-4, Layout.QUOTIENT, 100);
        ForgetfulFilter base = empty(options, START);
        ForgetfulFilter other = empty(options, START);
        fill(base, START);
        fill(other, START);
        byte[] ofBase = bytes(base);
        byte[] ofOther = bytes(other);
        for (int i = 0; i < 50; i++) {
            byte[] damaged = ofOther.clone();
            damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            assertThatThrownBy(() -> union(ofBase, damaged)).isInstanceOf(IOException.class);
        }
        byte[] cut = Arrays.copyOf(ofBase, ofBase.length - 1);
        assertThatThrownBy(() -> union(cut, ofOther)).isInstanceOf(CorruptFilterException.class);
    }
}
