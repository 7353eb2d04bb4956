/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One field of a golden file is changed, and the checksums are right: what is read, and what not.
 */
class WindowParametersTest {

    /** Before the parameters: their length is at 20, and they begin at 32. */
    private static final int LENGTH_AT = 20;

    private static final int PARAMETERS_AT = 32;
    private static final int CRC_BYTES = 4;

    private static final WindowOptions OPTIONS =
            GoldenFiles.fewOptions(Layout.QUOTIENT, OverflowPolicy.FORGET_OLDEST);

    private static byte[] golden() throws IOException {
        String name = "/golden/forgetful/" + GoldenFiles.retiredName(Layout.QUOTIENT);
        try (InputStream in = WindowParametersTest.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    private static byte[] changed(Consumer<ByteBuffer> change) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(golden()).order(ByteOrder.LITTLE_ENDIAN);
        int length = file.getInt(LENGTH_AT);
        ByteBuffer parameters = file.slice(PARAMETERS_AT, length).order(ByteOrder.LITTLE_ENDIAN);
        change.accept(parameters);
        int payloadAt = PARAMETERS_AT + length + CRC_BYTES;
        long[] words = new long[(file.capacity() - payloadAt - CRC_BYTES) / Long.BYTES];
        file.position(payloadAt).slice().order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        ForgetfulFilterFormat.KIND,
                        ForgetfulFilterFormat.VERSION,
                        parameters.rewind(),
                        (long) words.length * Long.BYTES);
        writer.words(words, 0, words.length);
        writer.finish();
        return out.toByteArray();
    }

    private static ForgetfulFilter read(byte[] bytes) throws IOException {
        return ForgetfulFilter.readFrom(
                new ByteArrayInputStream(bytes), "changed", OPTIONS, new MemoryBudget(1 << 20));
    }

    /** Puts a number of some type at an offset of the parameters. */
    private static Consumer<ByteBuffer> put(String type, int at, String value) {
        return switch (type) {
            case "byte" -> to -> to.put(at, Byte.parseByte(value));
            case "int" -> to -> to.putInt(at, Integer.parseInt(value));
            case "long" -> to -> to.putLong(at, Long.parseLong(value));
            default -> to -> to.putDouble(at, Double.parseDouble(value));
        };
    }

    @Test
    void withoutAChangeItIsTheGoldenFile() throws IOException {
        assertThat(changed(parameters -> {})).isEqualTo(golden());
        assertThat(read(golden()).idsHeld()).isPositive();
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource({
        "window, long, 0, 0, windowMillis",
        "fpp, double, 8, 0, fpp must",
        "fpp, double, 8, NaN, fpp must",
        "greatest fpp, double, 16, 1, maxFpp",
        "expected, long, 24, 0, expectedPerWindow",
        "overflow policy, byte, 32, 0, overflow policy 0",
        "overflow policy, byte, 32, 3, overflow policy 3",
        "layout, byte, 33, 0, layout 0",
        "overflows, long, 58, -1, impossible number of segments or overflows",
        "segments, int, 66, 0, impossible number of segments or overflows",
        "segments, int, 66, 33, impossible number of segments or overflows",
        "segments, int, 66, 2, parameters end too early",
        "layout of the array, byte, 70, 9, layout 9",
        "capacity, long, 82, 0, a segment with impossible parameters",
        "capacity, long, 82, 281474976710657, a segment with impossible parameters",
        "fpp of the array, double, 90, 0, a segment with impossible parameters",
        "fpp of the array, double, 90, 1, a segment with impossible parameters",
        "fpp of the array, double, 90, NaN, a segment with impossible parameters",
        "role, byte, 98, 3, role 3",
        "slice, long, 99, 0, a segment with impossible parameters",
        "planes: one too many, long, 107, 131071, a segment with impossible parameters",
        "retired planes: live ones, long, 115, 65535, a segment with impossible parameters",
        "retired planes: one too many, long, 115, 65536, a segment with impossible parameters",
        "retired planes: none, long, 115, 0, an array with ids in planes that are not in use",
        "opened, long, 123, -1, a plane with impossible ids or times",
        "opened, long, 123, 281474976710657, a plane with impossible ids or times",
        "ids, long, 131, 0, a plane with impossible ids or times",
        "ids, long, 131, 281474976710657, a plane with impossible ids or times"
    })
    void whatNoFilterWritesIsRefused(
            String field, String type, int at, String value, String message) throws IOException {
        byte[] bytes = changed(put(type, at, value));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource({
        "overflows, long, 58, 0",
        "capacity, long, 82, 1",
        "capacity, long, 82, 281474976710656",
        "fpp of the array, double, 90, 0.999",
        "opened, long, 123, 0",
        "opened, long, 123, 281474976710656"
    })
    void theExtremesThatAFilterMayWriteAreRead(String field, String type, int at, String value)
            throws IOException {
        ForgetfulFilter filter = read(changed(put(type, at, value)));
        long last = GoldenFiles.FEW_IDS - 1;
        assertThat(filter.mightContain(Hashing.hash(last), last)).isTrue();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        assertThat(read(out.toByteArray()).mightContain(Hashing.hash(last), last)).isTrue();
    }

    /** The first plane with ids; a field of 8 bytes each: opened, ids, begin, end, kept. */
    private static final int LIVE_PLANE = 123;

    @Test
    void aSliceWithIdsHasTimesInOrder() throws IOException {
        byte[] reversed =
                changed(
                        to -> {
                            to.putLong(LIVE_PLANE + 16, 300);
                            to.putLong(LIVE_PLANE + 24, 299);
                        });
        assertThatThrownBy(() -> read(reversed)).hasMessageContaining("impossible ids or times");
        byte[] unset = changed(to -> to.putLong(LIVE_PLANE + 16, Long.MIN_VALUE));
        assertThatThrownBy(() -> read(unset)).hasMessageContaining("impossible ids or times");
        byte[] equal =
                changed(
                        to -> {
                            to.putLong(LIVE_PLANE + 16, 299);
                            to.putLong(LIVE_PLANE + 24, 299);
                        });
        assertThat(read(equal).idsHeld()).isEqualTo(read(golden()).idsHeld());
    }

    /** It could not be counted any further, or not be written again. */
    @Test
    void aSliceOfTheMostIdsIsReadWithHalfOfThem() throws IOException {
        byte[] bytes = changed(to -> to.putLong(LIVE_PLANE + 8, 1L << 48));
        StoredWindow stored = StoredWindow.readFrom(new ByteArrayInputStream(bytes), "most");
        assertThat(stored.ids()).isBetween(1L << 47, (1L << 47) + GoldenFiles.FEW_IDS);
    }

    @Test
    void aNewFilterIsReadWithItsFirstSlice() throws IOException {
        ForgetfulFilter filter =
                ForgetfulFilter.create(OPTIONS, new MemoryBudget(1 << 20), Long.MIN_VALUE);
        filter.insert(Hashing.hash(1L), 5);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        assertThat(read(out.toByteArray()).mightContain(Hashing.hash(1L), 5)).isTrue();
    }

    @Test
    void whatTheArrayNeedsIsThere() throws IOException {
        byte[] bytes = changed(to -> to.putLong(74, 2 * to.getLong(74)));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("lengths of parameters and payload do not agree");
    }

    @Test
    void whatIsStoredIsToldWithoutTheArrays() throws IOException {
        ForgetfulFilter filter = read(golden());
        ByteArrayInputStream in = new ByteArrayInputStream(golden());
        StoredWindow stored = StoredWindow.readFrom(in, "golden");
        assertThat(in.available()).isZero();
        assertThat(stored.ids()).isEqualTo(filter.idsHeld());
        assertThat(stored.clock()).isEqualTo(GoldenFiles.RETIRED_CLOCK);
        assertThat(stored.coveredSince()).isEqualTo(filter.coveredSince());
        assertThat(stored.coveredBehind()).isEqualTo(filter.coveredBehind());
        assertThat(stored.overflows()).isZero();
        assertThat(stored.options().windowMillis()).isEqualTo(GoldenFiles.FEW_WINDOW);
        assertThat(stored.options().layout()).isEqualTo(Layout.QUOTIENT);
        assertThat(stored.predictedFpp()).isBetween(1e-7, 0.02);
        StoredWindow.StoredSegment segment = stored.segments().get(0);
        assertThat(segment.layout()).isEqualTo(Layout.QUOTIENT);
        assertThat(segment.predictedFpp()).isEqualTo(stored.predictedFpp());
        assertThat(segment.ids()).isEqualTo(stored.ids());
        assertThat(segment.capacity()).isEqualTo((double) segment.capacity);
        assertThat(stored.bytes()).isEqualTo(segment.bytes()).isPositive();
        assertThat(segment.generations()).hasSize(stored.generations());
        assertThat(stored.generations()).isBetween(1, filter.generations());
        for (StoredWindow.StoredGeneration generation : segment.generations()) {
            assertThat(generation.ids()).isPositive();
            assertThat(generation.begin()).isLessThanOrEqualTo(generation.end());
            assertThat(generation.ids()).isEqualTo(generation.end() - generation.begin() + 1);
        }
    }
}
