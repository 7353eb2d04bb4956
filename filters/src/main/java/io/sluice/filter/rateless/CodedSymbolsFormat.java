/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of {@link CodedSymbols}: an envelope ({@link io.sluice.filter.format}) of kind
 * {@value #KIND}.
 *
 * <pre>
 *   parameters: key (16), copies in the multiset (8), index of the first symbol (4), symbols (4),
 *               bits of a surplus (4)
 *   payload:    sums of hashes, a word each; checksums, two a word; surpluses, packed from the
 *               lowest bit on
 * </pre>
 *
 * A <b>surplus</b> is the count of a symbol less what is expected of it, which is the copies in the
 * multiset times the probability that an element is part of the symbol. Zigzag coding (0, -1, 1,
 * -2, ...) makes it unsigned; all take as many bits as the greatest needs.
 */
final class CodedSymbolsFormat {

    static final int KIND = 9;

    /** The first one. */
    static final int VERSION_1 = 1;

    static final int VERSION_CURRENT = VERSION_1;

    private static final int BYTES = 3 * Long.BYTES + 3 * Integer.BYTES;

    /** Header, and two checksums. */
    private static final int ENVELOPE = 32 + 2 * Integer.BYTES;

    private CodedSymbolsFormat() {}

    static long bytes(CodedSymbols batch) {
        return ENVELOPE + BYTES + words(batch.size(), surplusBits(batch)) * Long.BYTES;
    }

    private static long words(int size, int surplusBits) {
        return size + checkWords(size) + ((long) size * surplusBits + 63) / Long.SIZE;
    }

    private static long checkWords(int size) {
        return (size + 1L) / 2;
    }

    static void write(CodedSymbols batch, OutputStream out) throws IOException {
        int surplusBits = surplusBits(batch);
        int size = batch.size();
        ByteBuffer parameters =
                ByteBuffer.allocate(BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(batch.key().low())
                        .putLong(batch.key().high())
                        .putLong(batch.copies())
                        .putInt(batch.first())
                        .putInt(size)
                        .putInt(surplusBits)
                        .flip();
        long[] words = new long[Math.toIntExact(words(size, surplusBits))];
        SymbolArray symbols = batch.symbols();
        long counts = (size + checkWords(size)) * Long.SIZE;
        for (int i = 0; i < size; i++) {
            words[i] = symbols.hash(i);
            put(words, (long) size * Long.SIZE + (long) i * Integer.SIZE, symbols.check(i));
            put(words, counts + (long) i * surplusBits, surplus(batch, i));
        }
        FilterWriter writer =
                new FilterWriter(
                        out, KIND, VERSION_CURRENT, parameters, (long) words.length * Long.BYTES);
        writer.words(words, 0, words.length);
        writer.finish();
    }

    static CodedSymbols read(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != BYTES) {
            throw reader.corrupt(from.remaining() + " bytes of parameters, expected " + BYTES);
        }
        ExchangeKey key = new ExchangeKey(from.getLong(), from.getLong());
        long copies = from.getLong();
        int first = from.getInt();
        int size = from.getInt();
        int surplusBits = from.getInt();
        if (first < 0
                || size < 0
                || size > SymbolEncoder.MAX_SYMBOLS - first
                || surplusBits < 0
                || surplusBits > Long.SIZE) {
            throw reader.corrupt(
                    "impossible symbols: "
                            + size
                            + " from "
                            + first
                            + ", surpluses of "
                            + surplusBits
                            + " bits");
        }
        long length = words(size, surplusBits);
        if (length * Long.BYTES != reader.payloadLeft()) {
            throw reader.corrupt(
                    size
                            + " symbols take "
                            + length * Long.BYTES
                            + " bytes, the payload has "
                            + reader.payloadLeft());
        }
        long[] words = reader.words((int) length);
        reader.finish();
        SymbolArray symbols = new SymbolArray(size);
        long counts = (size + checkWords(size)) * Long.SIZE;
        for (int i = 0; i < size; i++) {
            long check = get(words, (long) size * Long.SIZE + (long) i * Integer.SIZE, 32);
            if (!PrimeField.isElement(words[i]) || !SymbolArray.isCheck(check)) {
                throw reader.corrupt("symbol " + i + " has a sum beyond its modulus");
            }
            long zigzag = get(words, counts + (long) i * surplusBits, surplusBits);
            long surplus = (zigzag >>> 1) ^ -(zigzag & 1);
            symbols.append(words[i], check, expected(copies, first + i) + surplus);
        }
        return new CodedSymbols(key, first, copies, symbols);
    }

    /** The same on both sides: doubles are exact to the last bit in Java. */
    private static long expected(long copies, int index) {
        return (long) (copies * SymbolIndexes.probability(index));
    }

    private static long surplus(CodedSymbols batch, int i) {
        long surplus = batch.symbols().count(i) - expected(batch.copies(), batch.first() + i);
        return (surplus << 1) ^ (surplus >> 63);
    }

    private static int surplusBits(CodedSymbols batch) {
        long all = 0;
        for (int i = 0; i < batch.size(); i++) {
            all |= surplus(batch, i);
        }
        return Long.SIZE - Long.numberOfLeadingZeros(all);
    }

    /** Puts a number at a bit that has only zeros behind it. */
    private static void put(long[] words, long bit, long number) {
        int word = (int) (bit >>> 6);
        int shift = (int) bit & 63;
        if (number != 0) {
            words[word] |= number << shift;
            if (shift != 0 && number >>> (Long.SIZE - shift) != 0) {
                words[word + 1] |= number >>> (Long.SIZE - shift);
            }
        }
    }

    private static long get(long[] words, long bit, int bits) {
        if (bits == 0) {
            return 0;
        }
        int word = (int) (bit >>> 6);
        int shift = (int) bit & 63;
        long number = words[word] >>> shift;
        if (shift + bits > Long.SIZE) {
            number |= words[word + 1] << (Long.SIZE - shift);
        }
        return bits == Long.SIZE ? number : number & ((1L << bits) - 1);
    }
}
