/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.cuckoo.sync.RootSet;

/**
 * Makes the coded symbols of a multiset, as many as are asked for: the first ones of a long list
 * are the list of a shorter one. Takes 36 bytes an element; makes no objects but the batches that
 * it returns. The multiset may change afterwards: the symbols are those of the moment at which the
 * encoder was made. Equal multisets and keys give equal symbols, whatever the order of elements. An
 * encoder that was lost is made again by {@link #skip}. Not thread-safe.
 */
public final class SymbolEncoder {

    /** The most symbols of an exchange. */
    public static final int MAX_SYMBOLS = 1 << 28;

    private final ExchangeKey key;
    private final CodedElements elements;
    private final long copies;
    private int produced;

    /**
     * An encoder that begins with symbol 0. O(elements).
     *
     * @throws IllegalArgumentException if a multiplicity is less than 1
     */
    public SymbolEncoder(RootSet set, ExchangeKey key) {
        this.key = key;
        elements = elementsOf(set, new SipHash(key));
        long sum = 0;
        for (int i = 0; i < elements.size(); i++) {
            sum += elements.copies(i);
        }
        copies = sum;
    }

    static CodedElements elementsOf(RootSet set, SipHash hashing) {
        CodedElements elements = new CodedElements();
        set.forEach(
                (hash, multiplicity) -> {
                    if (multiplicity < 1) {
                        throw new IllegalArgumentException(
                                "multiplicity must be at least 1, got "
                                        + multiplicity
                                        + ": leave out elements that have no copies");
                    }
                    long keyed = hashing.hash(hash);
                    elements.add(hash, multiplicity, keyed, keyed, 0);
                });
        return elements;
    }

    /**
     * The next symbols. O(elements * log(elements) * log(last / first)).
     *
     * @param count how many, from 0 on
     * @throws IllegalArgumentException if count is negative, or leads beyond {@link #MAX_SYMBOLS}
     */
    public CodedSymbols next(int count) {
        checkCount(count);
        SymbolArray symbols = new SymbolArray(count);
        int first = produced;
        for (int at = 0; at < count; at++) {
            symbols.append(0, 0, 0);
            elements.apply(produced, symbols, at, 1);
            produced++;
        }
        return new CodedSymbols(key, first, copies, symbols);
    }

    /** Leaves out symbols, at the price of making them; {@code count} as in {@link #next}. */
    public void skip(int count) {
        checkCount(count);
        SymbolArray dropped = new SymbolArray(1);
        dropped.append(0, 0, 0);
        for (int left = count; left > 0; left--) {
            elements.apply(produced, dropped, 0, 1);
            produced++;
        }
    }

    private void checkCount(int count) {
        if (count < 0 || count > MAX_SYMBOLS - produced) {
            throw new IllegalArgumentException(
                    "count must be from 0 to " + (MAX_SYMBOLS - produced) + ", got " + count);
        }
    }

    /** The index of the next symbol. */
    public int produced() {
        return produced;
    }

    /** Different elements of the multiset. */
    public int elements() {
        return elements.size();
    }
}
