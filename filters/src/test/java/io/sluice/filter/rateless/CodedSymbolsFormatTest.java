/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.Mutations;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CodedSymbolsFormatTest {

    private static final String SYMBOLS = "rateless/v1-symbols.bin";
    private static final String NO_SYMBOLS = "rateless/v1-no-symbols.bin";

    private static CodedSymbols read(byte[] bytes) throws IOException {
        return CodedSymbols.readFrom(new ByteArrayInputStream(bytes), "test");
    }

    @Test
    void readsTheGoldenSymbols() throws IOException {
        GoldenFile.assertStillWritten(SYMBOLS, GoldenFiles.symbols().toByteArray());
        byte[] bytes = GoldenFile.read(SYMBOLS);
        CodedSymbols symbols = read(bytes);
        assertThat(symbols.key()).isEqualTo(GoldenFiles.KEY);
        assertThat(symbols.first()).isEqualTo(GoldenFiles.FIRST);
        assertThat(symbols.size()).isEqualTo(GoldenFiles.SYMBOLS);
        assertThat(symbols.toByteArray()).isEqualTo(bytes);
    }

    @Test
    void readsTheGoldenBatchWithoutSymbols() throws IOException {
        GoldenFile.assertStillWritten(NO_SYMBOLS, GoldenFiles.noSymbols().toByteArray());
        byte[] bytes = GoldenFile.read(NO_SYMBOLS);
        assertThat(read(bytes).size()).isZero();
        assertThat(read(bytes).toByteArray()).isEqualTo(bytes);
    }

    @Test
    void refusesDamage() {
        Damage.isAlwaysRefused(GoldenFile.read(SYMBOLS), CodedSymbols::readFrom);
    }

    /** Counts of any width, even those that have overflowed. */
    @Test
    void whatIsReadIsWhatWasWritten() throws IOException {
        for (long mostCopies : new long[] {1, 2, 1_000, 1L << 40, Long.MAX_VALUE - 1}) {
            for (int size : new int[] {1, 2, 63, 200}) {
                Map<Long, Long> set = Sides.random(Seeds.random(), 500, 0, mostCopies).a;
                SymbolEncoder encoder = new SymbolEncoder(Sides.root(set), GoldenFiles.KEY);
                for (int batch = 0; batch < 3; batch++) {
                    CodedSymbols written = encoder.next(size);
                    byte[] bytes = written.toByteArray();
                    assertThat(written.serializedBytes()).isEqualTo(bytes.length);
                    CodedSymbols read = read(bytes);
                    assertThat(read.first()).isEqualTo(batch * size);
                    for (int i = 0; i < size; i++) {
                        SymbolArray symbols = read.symbols();
                        assertThat(symbols.hash(i)).isEqualTo(written.symbols().hash(i));
                        assertThat(symbols.check(i)).isEqualTo(written.symbols().check(i));
                        assertThat(symbols.count(i)).isEqualTo(written.symbols().count(i));
                    }
                }
            }
        }
    }

    /** The reason for checksums of 4 bytes and for counts less what is expected. */
    @Test
    void aSymbolTakesFourteenBytes() {
        Map<Long, Long> set = Sides.random(Seeds.random(), 64_000, 0, 19).a;
        SymbolEncoder encoder = new SymbolEncoder(Sides.root(set), GoldenFiles.KEY);
        encoder.skip(100);
        assertThat(encoder.next(1_000).serializedBytes()).isLessThan(14_000);
    }

    @Tag("thorough")
    @Test
    void aFileThatNobodyWroteIsRefusedOrReadAsSymbolsThatWork() {
        Mutations.areRefusedOrWork(
                20_000,
                CodedSymbols::readFrom,
                (symbols, random) -> {
                    SymbolDecoder decoder =
                            new SymbolDecoder(GoldenFiles.set(), symbols.key(), 1_000);
                    Outcome outcome = decoder.accept(symbols);
                    assertThat(decoder.received()).isLessThanOrEqualTo(1_000);
                    assertThat(decoder.accept(symbols)).isEqualTo(outcome);
                    return symbols.toByteArray();
                },
                new SymbolEncoder(GoldenFiles.set(), GoldenFiles.KEY).next(40).toByteArray(),
                GoldenFiles.symbols().toByteArray());
    }

    /** Right checksums, impossible content. */
    @Test
    void refusesWhatNoSymbolsCouldBe() throws IOException {
        int max = SymbolEncoder.MAX_SYMBOLS;
        int[][] wrong = {{-1, 1, 0}, {0, -1, 0}, {max, 1, 0}, {0, 1, -1}, {0, 1, 65}};
        for (int[] fields : wrong) {
            assertThatThrownBy(() -> read(bytes(fields, 0, 0)))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("impossible symbols");
        }
        assertThatThrownBy(() -> read(bytes(new int[] {0, max, 64}, 0, 0)))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("the payload has 16");
        int[] one = {0, 1, 0};
        assertThat(read(bytes(one, PrimeField.PRIME - 1, SymbolArray.CHECK_PRIME - 1)).size())
                .isOne();
        for (long[] sums : new long[][] {{PrimeField.PRIME, 0}, {0, SymbolArray.CHECK_PRIME}}) {
            assertThatThrownBy(() -> read(bytes(one, sums[0], sums[1])))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("beyond its modulus");
        }
    }

    private static byte[] bytes(int[] fields, long... words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer parameters = ByteBuffer.allocate(36).order(ByteOrder.LITTLE_ENDIAN).position(24);
        for (int field : fields) {
            parameters.putInt(field);
        }
        FilterWriter writer =
                new FilterWriter(
                        out, CodedSymbolsFormat.KIND, 1, parameters.flip(), words.length * 8L);
        writer.words(words, 0, words.length);
        writer.finish();
        return out.toByteArray();
    }
}
