/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.format.Persistent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Successive coded symbols of a multiset: what one side sends the other. Immutable, so safe for use
 * by several threads.
 */
public final class CodedSymbols implements Persistent {

    private final ExchangeKey key;
    private final int first;
    private final long copies;
    private final SymbolArray symbols;

    /**
     * @param copies sum of all multiplicities, modulo 2^64
     * @param symbols not to be changed from now on
     */
    CodedSymbols(ExchangeKey key, int first, long copies, SymbolArray symbols) {
        this.key = key;
        this.first = first;
        this.copies = copies;
        this.symbols = symbols;
    }

    /** The key of the exchange: a secret as long as it is under way. */
    public ExchangeKey key() {
        return key;
    }

    /** Index of the first symbol. */
    public int first() {
        return first;
    }

    /** Number of symbols. */
    public int size() {
        return symbols.size();
    }

    /** Copies in the multiset, modulo 2^64; as {@link #readFrom} found it, whether true or not. */
    public long copies() {
        return copies;
    }

    SymbolArray symbols() {
        return symbols;
    }

    /** Bytes that {@link #writeTo} writes. */
    public long serializedBytes() {
        return CodedSymbolsFormat.bytes(this);
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        CodedSymbolsFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static CodedSymbols readFrom(InputStream in, String source) throws IOException {
        return CodedSymbolsFormat.read(in, source);
    }

    @Override
    public String toString() {
        return size() + " coded symbols from " + first;
    }
}
