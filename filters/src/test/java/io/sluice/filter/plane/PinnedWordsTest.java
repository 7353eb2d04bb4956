/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.FilterWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copy on write of an array's words, with the steps of two threads in a chosen order. */
class PinnedWordsTest {

    private static final int PAGES = 5;

    private final SplittableRandom random = Seeds.random();

    /** Four whole pages and a piece of one. */
    private static PlaneArray array(Layout layout) {
        int words = (PAGES - 1) * PinnedWords.PAGE_WORDS + 64;
        double lines = (double) words / Geometry.LINE_WORDS;
        Geometry geometry =
                switch (layout) {
                    case FINGERPRINTS -> Geometry.fingerprints(lines, 16);
                    case QUOTIENT -> Geometry.quotient(lines, new QuotientLine(32));
                };
        assertThat(geometry.words()).isEqualTo(words);
        return PlaneArray.create(geometry);
    }

    private void fill(PlaneArray array, int ids) {
        for (int i = 0; i < ids; i++) {
            array.set(random.nextLong(), 0, 1L << random.nextInt(array.geometry().planes()));
        }
    }

    private static long[] content(PlaneArray array) {
        return Arrays.copyOfRange(array.words, PlaneArray.PADDING, array.words.length);
    }

    private static byte[] written(long[] words) throws IOException {
        var out = new ByteArrayOutputStream();
        var writer = new FilterWriter(out, 0, 0, ByteBuffer.allocate(0), 8L * words.length);
        writer.words(words, 0, words.length);
        writer.finish();
        return out.toByteArray();
    }

    private static byte[] written(PinnedWords pin) throws IOException {
        var out = new ByteArrayOutputStream();
        write(pin, out);
        return out.toByteArray();
    }

    private static void write(PinnedWords pin, OutputStream out) throws IOException {
        var writer = new FilterWriter(out, 0, 0, ByteBuffer.allocate(0), 8L * pin.length());
        pin.writeTo(writer);
        writer.finish();
    }

    @ParameterizedTest
    @EnumSource
    void writesWhatWasThereWhenItWasPinned(Layout layout) throws IOException {
        PlaneArray array = array(layout);
        fill(array, 300);
        byte[] expected = written(content(array));
        PinnedWords pin = array.pin();
        fill(array, 2_000);
        assertThat(written(pin)).isEqualTo(expected);
    }

    /** An id that finds its first line full marks it, perhaps in another page than it ends in. */
    @ParameterizedTest
    @EnumSource
    void keepsWhatASingleIdChangesWhereverThatIs(Layout layout) throws IOException {
        PlaneArray array = array(layout);
        fill(array, 2_000);
        for (int i = 0; i < 6_000; i++) {
            byte[] expected = written(content(array));
            PinnedWords pin = array.pin();
            fill(array, 1);
            assertThat(written(pin)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsWhatTheSweepErases(Layout layout) throws IOException {
        PlaneArray array = array(layout);
        fill(array, 2_000);
        byte[] expected = written(content(array));
        PinnedWords pin = array.pin();
        array.retire((1L << array.geometry().planes()) - 1);
        array.finishSweep();
        assertThat(content(array)).containsOnly(0);
        assertThat(written(pin)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void keepsWhatIsClearedWithoutACopy(Layout layout) throws IOException {
        PlaneArray array = array(layout);
        fill(array, 2_000);
        byte[] expected = written(content(array));
        PinnedWords pin = array.pin();
        array.clear();
        assertThat(content(array)).containsOnly(0);
        assertThat(array.pinned()).isFalse();
        fill(array, 500);
        assertThat(pin.keptBytes()).isZero();
        assertThat(written(pin)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void aWriteBetweenTheReadersCopyAndItsClaimIsNotTaken(Layout layout) throws IOException {
        PlaneArray array = array(layout);
        long[] expected = content(array);
        PinnedWords pin = array.pin();
        long[] buffer = new long[PinnedWords.PAGE_WORDS];
        pin.copy(0, buffer);
        fill(array, 2_000);
        assertThat(PinnedWords.claim(pin.open(), 0))
                .isEqualTo(Arrays.copyOf(expected, PinnedWords.PAGE_WORDS));
    }

    @Test
    void whatTheReaderClaimedTheOwnerDoesNotCopy() throws IOException {
        PlaneArray array = array(Layout.FINGERPRINTS);
        PinnedWords pin = array.pin();
        for (int page = 0; page < PAGES; page++) {
            assertThat(PinnedWords.claim(pin.open(), page)).isNull();
        }
        fill(array, 2_000);
        assertThat(pin.keptBytes()).isZero();
    }

    @Test
    void copiesOnlyThePagesThatChange() {
        PlaneArray array = array(Layout.FINGERPRINTS);
        PinnedWords pin = array.pin();
        array.set(random.nextLong(), 0, 1);
        assertThat(pin.keptBytes()).isEqualTo(PinnedWords.PAGE_BYTES);
        fill(array, 5_000);
        assertThat(pin.keptBytes()).isEqualTo(8L * array.geometry().words());
    }

    @Test
    void severalPinsAreEachOfTheirMomentAndShareCopies() throws IOException {
        PlaneArray array = array(Layout.FINGERPRINTS);
        fill(array, 200);
        byte[] first = written(content(array));
        PinnedWords one = array.pin();
        array.set(random.nextLong(), 0, 1);
        byte[] second = written(content(array));
        PinnedWords two = array.pin();
        PinnedWords three = array.pin();
        fill(array, 5_000);
        int shared = 0;
        for (int page = 0; page < PAGES; page++) {
            long[] kept = PinnedWords.claim(two.open(), page);
            assertThat(PinnedWords.claim(three.open(), page)).isSameAs(kept);
            shared += PinnedWords.claim(one.open(), page) == kept ? 1 : 0;
        }
        assertThat(shared).isEqualTo(PAGES - 1);

        PlaneArray again = array(Layout.FINGERPRINTS);
        System.arraycopy(array.words, 0, again.words, 0, array.words.length);
        PinnedWords older = again.pin();
        byte[] before = written(content(again));
        again.retire(1);
        again.sweep(700);
        byte[] between = written(content(again));
        PinnedWords younger = again.pin();
        again.finishSweep();
        assertThat(written(younger)).isEqualTo(between);
        assertThat(written(older)).isEqualTo(before);
        assertThat(first).isNotEqualTo(second);
    }

    @Test
    void aClosedPinIsForgottenAndTheOthersStay() throws IOException {
        PlaneArray array = array(Layout.FINGERPRINTS);
        fill(array, 200);
        byte[] expected = written(content(array));
        PinnedWords oldest = array.pin();
        PinnedWords middle = array.pin();
        PinnedWords youngest = array.pin();
        middle.close();
        fill(array, 1_000);
        assertThat(middle.keptBytes()).isZero();
        youngest.close();
        fill(array, 1_000);
        assertThat(array.pinned()).isTrue();
        assertThat(written(oldest)).isEqualTo(expected);
        oldest.close();
        array.set(random.nextLong(), 0, 1);
        assertThat(array.pinned()).isFalse();
    }

    @Test
    void copiesAreReleasedAsTheyAreWritten() throws IOException {
        PlaneArray array = array(Layout.FINGERPRINTS);
        PinnedWords pin = array.pin();
        fill(array, 5_000);
        long[] most = {Long.MAX_VALUE};
        write(
                pin,
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        throw new AssertionError("not in one piece");
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) {
                        if (length == PinnedWords.PAGE_BYTES) {
                            assertThat(pin.keptBytes()).isLessThan(most[0]);
                            most[0] = pin.keptBytes();
                        }
                    }
                });
        assertThat(pin.keptBytes()).isZero();
    }

    @Test
    void whatIsClosedIsNotWritten() {
        PlaneArray array = array(Layout.FINGERPRINTS);
        PinnedWords pin = array.pin();
        fill(array, 100);
        pin.close();
        pin.close();
        assertThatThrownBy(() -> written(pin)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> pin.open()).isInstanceOf(IOException.class);
    }

    /** The reader has seen that it is open, then it is closed: the owner's write must not pass. */
    @Test
    void aPageThatWasReadBeforeTheCloseIsNotTakenAfterIt() throws IOException {
        PlaneArray array = array(Layout.FINGERPRINTS);
        PinnedWords pin = array.pin();
        assertThatThrownBy(
                        () ->
                                write(
                                        pin,
                                        new OutputStream() {
                                            @Override
                                            public void write(int b) {}

                                            @Override
                                            public void write(byte[] bytes, int from, int length) {
                                                if (length == PinnedWords.PAGE_BYTES) {
                                                    pin.close();
                                                    fill(array, 10);
                                                }
                                            }
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
    }
}
