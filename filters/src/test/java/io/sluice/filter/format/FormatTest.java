/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class FormatTest {

    private static final int KIND = 7;

    private static byte[] written(int version) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer parameters = ByteBuffer.allocate(8).putLong(42).flip();
        FilterWriter writer = new FilterWriter(out, KIND, version, parameters, 3 * Long.BYTES);
        writer.words(new long[] {9, 1, 2, 3, 9}, 1, 3);
        writer.finish();
        return out.toByteArray();
    }

    private static long[] read(byte[] bytes) throws IOException {
        FilterReader reader = new FilterReader(new ByteArrayInputStream(bytes), "a test", KIND, 2);
        long[] words = reader.words(3);
        reader.finish();
        return words;
    }

    private static byte[] withHeaderCrc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        int end = Envelope.HEADER_BYTES + Long.BYTES;
        crc.update(bytes, 0, end);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(end, (int) crc.getValue());
        return bytes;
    }

    @Test
    void readsBackWhatWasWritten() throws IOException {
        assertThat(read(written(1))).containsExactly(1, 2, 3);
    }

    @Test
    void readsItsOwnBytesOnly() throws IOException {
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.write(written(1));
        two.write(written(2));
        ByteArrayInputStream in = new ByteArrayInputStream(two.toByteArray());
        for (int version = 1; version <= 2; version++) {
            FilterReader reader = new FilterReader(in, "a test", KIND, 2);
            assertThat(reader.version()).isEqualTo(version);
            assertThat(reader.words(3)).containsExactly(1, 2, 3);
            reader.finish();
        }
        assertThat(in.available()).isZero();
    }

    @Test
    void namesBothVersionsOfANewerFormat() throws IOException {
        byte[] newer = written(3);
        assertThatThrownBy(() -> read(newer))
                .isInstanceOfSatisfying(
                        UnsupportedFormatException.class,
                        e -> {
                            assertThat(e.found()).isEqualTo(3);
                            assertThat(e.supported()).isEqualTo(2);
                        })
                .hasMessageContaining("a test")
                .hasMessageContaining("3")
                .hasMessageContaining("2");
    }

    @Test
    void namesTheVersionsOfAFormatThatIsTooOld() throws IOException {
        byte[] old = written(1);
        assertThatThrownBy(
                        () -> new FilterReader(new ByteArrayInputStream(old), "a test", KIND, 2, 3))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessage(
                        "a test: format version 1 is too old; this release reads from 2 to 3. Read"
                                + " it with the release that wrote it");
    }

    /**
     * Whatever lengths and parameters claim, reading gives the words that are there, or an
     * exception.
     */
    @Test
    void anEnvelopeThatNobodyWroteIsRefusedOrRead() throws IOException {
        Mutations.areRefusedOrWork(
                20_000,
                (in, source) -> {
                    FilterReader reader = new FilterReader(in, source, KIND, 2);
                    int words = (int) Math.min(reader.payloadLeft() / Long.BYTES, 1 << 27);
                    long[] payload = reader.words(words);
                    reader.finish();
                    return payload;
                },
                (payload, random) -> {
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    FilterWriter writer =
                            new FilterWriter(
                                    out, KIND, 2, ByteBuffer.allocate(3), 8L * payload.length);
                    writer.words(payload, 0, payload.length);
                    writer.finish();
                    return out.toByteArray();
                },
                written(1),
                written(2));
    }

    private static FilterReader withParameters(byte[] parameters) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new FilterWriter(out, KIND, 1, ByteBuffer.wrap(parameters), 0).finish();
        return new FilterReader(new ByteArrayInputStream(out.toByteArray()), "a test", KIND, 1);
    }

    @Test
    void textIsUtf8AndHasTheLengthThatItIsSaidToHave() throws IOException {
        FilterReader reader = withParameters("Aß€𝄞end".getBytes(StandardCharsets.UTF_8));
        assertThat(reader.text(10)).isEqualTo("Aß€𝄞");
        assertThat(reader.text(0)).isEmpty();
        for (int length : new int[] {-1, 4, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> reader.text(length))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("a text of " + length + " bytes");
        }
        assertThat(reader.text(3)).isEqualTo("end");
    }

    /** Read as other text, it would be three times as long when it is written. */
    @Test
    void textThatIsNotUtf8IsRefusedWhereItBegins() throws IOException {
        for (byte[] bytes :
                new byte[][] {
                    {'a', 'b', -1, 'c'},
                    {'a', 'b', (byte) 0xc0, (byte) 0x80},
                    {'a', 'b', (byte) 0xed, (byte) 0xa0, (byte) 0x80},
                    {'a', 'b', (byte) 0xe2, (byte) 0x82}
                }) {
            FilterReader reader = withParameters(bytes);
            assertThatThrownBy(() -> reader.text(bytes.length))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessage(
                            "a test, offset "
                                    + (Envelope.HEADER_BYTES + 2)
                                    + ": a text that is not UTF-8");
        }
    }

    @Test
    void refusesAnotherKindUnlessAnyIsAskedFor() throws IOException {
        byte[] bytes = written(2);
        assertThatThrownBy(() -> new FilterReader(new ByteArrayInputStream(bytes), "a test", 8, 2))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("kind 7, expected kind 8");

        FilterReader any = FilterReader.ofAnyKind(new ByteArrayInputStream(bytes), "a test");
        assertThat(any.kind()).isEqualTo(KIND);
        assertThat(any.version()).isEqualTo(2);
        assertThat(any.parameters().getLong()).isEqualTo(Long.reverseBytes(42));
        any.checkPayload();
        assertThat(any.offset()).isEqualTo(bytes.length);
        assertThat(any.payloadLeft()).isZero();
    }

    @Test
    void jumpsOverAPayloadAndGoesOnBehindIt() throws IOException {
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        two.write(written(1));
        two.write(written(2));
        ByteArrayInputStream in = new ByteArrayInputStream(two.toByteArray());
        FilterReader first = FilterReader.ofAnyKind(in, "a test");
        first.skipPayload();
        assertThat(first.offset()).isEqualTo(two.size() / 2);
        FilterReader second = FilterReader.ofAnyKind(in, "a test");
        assertThat(second.version()).isEqualTo(2);

        byte[] cut = Arrays.copyOf(written(1), written(1).length - 1);
        FilterReader ofCut = FilterReader.ofAnyKind(new ByteArrayInputStream(cut), "a test");
        assertThatThrownBy(ofCut::skipPayload)
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("ends inside the payload");
    }

    @Test
    void parametersOfAnyLengthComeBack() throws IOException {
        for (int length : new int[] {0, 1, 5_000, 40_000, Envelope.MAX_PARAMETERS_BYTES}) {
            byte[] parameters = new byte[length];
            new SplittableRandom(length).nextBytes(parameters);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new FilterWriter(out, KIND, 1, ByteBuffer.wrap(parameters), 0).finish();
            FilterReader reader =
                    new FilterReader(
                            new ByteArrayInputStream(out.toByteArray()), "a test", KIND, 1);
            reader.finish();
            byte[] read = new byte[reader.parameters().remaining()];
            reader.parameters().get(read);
            assertThat(read).isEqualTo(parameters);
        }
    }

    @Test
    void refusesAnotherHashAlgorithm() throws IOException {
        byte[] bytes = written(1);
        bytes[Envelope.HASH_ID_OFFSET] = 99;
        assertThatThrownBy(() -> read(withHeaderCrc(bytes)))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("hash algorithm 99");
    }

    @Test
    void refusesEveryFlippedBitAndEveryPrefix() throws IOException {
        byte[] bytes = written(1);
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThatThrownBy(() -> read(flipped)).isInstanceOf(CorruptFilterException.class);
        }
        for (int length = 0; length < bytes.length; length++) {
            byte[] prefix = Arrays.copyOf(bytes, length);
            int cut = length;
            assertThatThrownBy(() -> read(prefix))
                    .isInstanceOfSatisfying(
                            CorruptFilterException.class,
                            e -> {
                                assertThat(e.source()).isEqualTo("a test");
                                assertThat(e.offset()).isEqualTo(cut);
                            });
        }
    }

    @Test
    void believesNoClaimedSizeBeforeTheBytesAreThere() throws IOException {
        byte[] bytes = written(1);
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(Envelope.PAYLOAD_LENGTH_OFFSET, Long.MAX_VALUE & -Long.BYTES);
        FilterReader reader =
                new FilterReader(new ByteArrayInputStream(withHeaderCrc(bytes)), "a test", KIND, 2);
        // 16 GiB of words, more than the heap of the test.
        assertThatThrownBy(() -> reader.words(Integer.MAX_VALUE - 8))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("ends inside the payload");
    }
}
