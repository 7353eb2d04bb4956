/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One parameter is changed, and the checksums are right: what is read, and what not. */
class QuotientParametersTest {

    private static final int BYTES = 27;

    /** 1024 quotients, remainders of 8 bits, maximal load 0.95. */
    private final QuotientFilter filter = GoldenFiles.set();

    private byte[] changed(int length, Consumer<ByteBuffer> change) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(Math.max(BYTES, length)).order(ByteOrder.LITTLE_ENDIAN);
        parameters
                .put((byte) filter.quotientBits())
                .put((byte) filter.remainderBits())
                .put((byte) 0)
                .putDouble(filter.maxLoad())
                .putLong(filter.size())
                .putLong(0);
        change.accept(parameters);
        parameters.position(0).limit(length);
        long words = filter.blocks().words.length();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(
                        out,
                        QuotientFilterFormat.KIND,
                        QuotientFilterFormat.VERSION_CURRENT,
                        parameters,
                        words * Long.BYTES);
        filter.blocks().words.writeTo(writer);
        writer.finish();
        return out.toByteArray();
    }

    private static QuotientFilter read(byte[] bytes) throws IOException {
        return QuotientFilter.readFrom(new ByteArrayInputStream(bytes), "changed", Storage.HEAP);
    }

    private static Consumer<ByteBuffer> put(String type, int at, String value) {
        return switch (type) {
            case "byte" -> to -> to.put(at, Byte.parseByte(value));
            case "long" -> to -> to.putLong(at, Long.parseLong(value));
            default -> to -> to.putDouble(at, Double.parseDouble(value));
        };
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource({
        "quotient bits, byte, 0, 0",
        "quotient bits, byte, 0, 37",
        "remainder bits, byte, 1, 0",
        "remainder bits, byte, 1, 54",
        "grows, byte, 2, -1",
        "grows, byte, 2, 2",
        "maximal load, double, 3, 0.0156",
        "maximal load, double, 3, 1.001",
        "maximal load, double, 3, NaN",
        "size, long, 11, -1",
        "size, long, 11, 973",
        "refused removals, long, 19, -1",
        "refused removals, long, 19, 4611686018427387905"
    })
    void whatNoFilterHasIsRefused(String field, String type, int at, String value)
            throws IOException {
        byte[] bytes = changed(BYTES, put(type, at, value));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("impossible parameters of a quotient filter");
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource({
        "grows, byte, 2, 0",
        "grows, byte, 2, 1",
        "maximal load, double, 3, 1",
        "refused removals, long, 19, 4611686018427387904"
    })
    void theExtremesAreRead(String field, String type, int at, String value) throws IOException {
        QuotientFilter read = read(changed(BYTES, put(type, at, value)));
        read.checkInvariants();
        assertThat(read.size()).isEqualTo(filter.size());
        assertThat(read.grows()).isEqualTo(field.equals("grows") && value.equals("1"));
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        read.writeTo(again);
        assertThat(again.toByteArray()).isEqualTo(changed(BYTES, put(type, at, value)));
    }

    /** It was counted up to there, and can go on without an overflow of what is written. */
    @Test
    void countsBeyondTheMostThatIsStoredAreStoredAsThat() throws IOException {
        QuotientFilter read = read(changed(BYTES, put("long", 19, String.valueOf(1L << 62))));
        long absent = 0;
        while (read.containsFingerprint(absent)) {
            absent++;
        }
        assertThat(read.removeFingerprint(absent)).isFalse();
        assertThat(read.refusedRemovals()).isEqualTo((1L << 62) + 1);
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        read.writeTo(again);
        assertThat(read(again.toByteArray()).refusedRemovals()).isEqualTo(1L << 62);
    }

    @Test
    void parametersHaveOneLength() throws IOException {
        for (int length : new int[] {BYTES - 1, BYTES + 1}) {
            byte[] bytes = changed(length, to -> {});
            assertThatThrownBy(() -> read(bytes))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining(length + " bytes of parameters, expected 27");
        }
    }

    @Test
    void theBlocksHaveTheLengthThatTheBitsSay() throws IOException {
        byte[] wider = changed(BYTES, put("byte", 1, "9"));
        assertThatThrownBy(() -> read(wider))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("bytes of payload, expected");
    }

    @Test
    void aSizeThatIsNotThatOfTheBlocksIsRefused() throws IOException {
        byte[] more = changed(BYTES, put("long", 11, String.valueOf(filter.size() + 1)));
        assertThatThrownBy(() -> read(more))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("fingerprints, expected");
    }
}
