/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

import io.sluice.filter.cuckoo.sync.RootSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds out how the peer's multiset differs from this side's, from the peer's coded symbols as they
 * come. This side's own symbols are subtracted, which leaves symbols of the difference. One that is
 * made of a single element names it, which takes the element out of all others (peeling). All
 * elements are part of symbol 0: once it is empty, the difference is known, and no more symbols are
 * needed.
 *
 * <p>Symbols may be damaged, repeated, or made up by someone that knows the key. Then memory and
 * time still have bounds, and the outcome has a name: a symbol names one element at most, and there
 * are at most as many symbols as the limit says. Takes 36 bytes for each own element and at most
 * some 250 for each symbol. What a liar says about a multiset that could be is believed; compare
 * totals ({@link io.sluice.filter.cuckoo.sync.MultisetDigest.Totals}) afterwards.
 *
 * <p>With a probability below 1e-9 for each element that differs, something else is taken for an
 * element: then the outcome is {@link Outcome#CONTRADICTORY}, or more symbols set it right. Not
 * thread-safe.
 */
public final class SymbolDecoder {

    /** What became of symbols. */
    public enum Outcome {

        /** Taken; the next ones are needed. */
        MORE,

        /** The difference is known. Final: further symbols are ignored. */
        DECODED,

        /** Not taken: symbols before these are missing. Get those, and these again. */
        GAP,

        /** Not taken: they have the key of another exchange. */
        FOREIGN,

        /** No two multisets have these symbols: they are damaged or made up. Final. */
        CONTRADICTORY,

        /** As many symbols as the limit allows do not suffice. Final. */
        EXHAUSTED
    }

    private final SipHash hashing;
    private final int maxSymbols;
    private final CodedElements elements;
    private final int own;

    /** What is left of the symbols after this side's and all decoded elements are taken out. */
    private final SymbolArray rest = new SymbolArray(16);

    /**
     * Symbols to look at, those with the greatest indexes first: they are made of the fewest
     * elements, and the fewest other elements belong there.
     */
    private final BitSet waiting = new BitSet();

    private List<UnequalElement> difference = List.of();
    private Outcome outcome = Outcome.MORE;

    /**
     * A decoder that has seen no symbols. O(elements of {@code set}). The multiset may change
     * afterwards: the difference is that of the moment at which the decoder was made.
     *
     * @param key of the peer's symbols
     * @param maxSymbols the limit, from 1 to {@link SymbolEncoder#MAX_SYMBOLS}
     * @throws IllegalArgumentException if the limit is out of range, or a multiplicity is less than
     *     1
     */
    public SymbolDecoder(RootSet set, ExchangeKey key, int maxSymbols) {
        if (maxSymbols < 1 || maxSymbols > SymbolEncoder.MAX_SYMBOLS) {
            throw new IllegalArgumentException(
                    "maxSymbols must be from 1 to "
                            + SymbolEncoder.MAX_SYMBOLS
                            + ", got "
                            + maxSymbols);
        }
        this.maxSymbols = maxSymbols;
        hashing = new SipHash(key);
        elements = SymbolEncoder.elementsOf(set, hashing);
        own = elements.size();
    }

    /**
     * Takes the next symbols; those that it has already are ignored, and those after the last that
     * is needed too. O(log(elements)) for each symbol that an own or decoded element is part of.
     */
    public Outcome accept(CodedSymbols batch) {
        if (!batch.key().equals(hashing.key())) {
            return Outcome.FOREIGN;
        }
        if (batch.first() > rest.size() && outcome == Outcome.MORE) {
            return Outcome.GAP;
        }
        SymbolArray symbols = batch.symbols();
        int end = batch.first() + batch.size();
        while (outcome == Outcome.MORE && rest.size() < end) {
            int at = rest.size() - batch.first();
            rest.append(symbols.hash(at), symbols.check(at), symbols.count(at));
            int index = rest.size() - 1;
            elements.apply(index, rest, index, -1);
            waiting.set(index);
            peel();
            conclude();
        }
        return outcome;
    }

    private void conclude() {
        if (outcome == Outcome.MORE && rest.isEmpty(0)) {
            boolean sound = nothingIsLeft() && tellDifference();
            outcome = sound ? Outcome.DECODED : Outcome.CONTRADICTORY;
        }
        if (outcome == Outcome.MORE && rest.size() == maxSymbols) {
            outcome = Outcome.EXHAUSTED;
        }
    }

    /** Otherwise symbol 0 is empty only because something else was taken for its last element. */
    private boolean nothingIsLeft() {
        for (int i = 0; i < rest.size(); i++) {
            if (!rest.isEmpty(i)) {
                return false;
            }
        }
        return true;
    }

    private void peel() {
        while (!waiting.isEmpty()) {
            int index = waiting.length() - 1;
            waiting.clear(index);
            long copies = rest.count(index);
            // No two multiplicities differ by as much as the least long.
            if (copies == 0 || copies == Long.MIN_VALUE) {
                continue;
            }
            long inverse = PrimeField.inverse(copies);
            long residue = PrimeField.multiply(rest.hash(index), inverse);
            // A few residues belong to two hashes.
            boolean found = takeOut(residue, copies, index);
            if (!found && Long.compareUnsigned(residue, PrimeField.EXCESS) < 0) {
                takeOut(residue + PrimeField.PRIME, copies, index);
            }
            if (outcome != Outcome.MORE) {
                return;
            }
        }
    }

    /**
     * Takes an element out of all symbols so far and those to come, if it is all that a symbol is
     * made of.
     */
    private boolean takeOut(long hash, long copies, int only) {
        long keyed = hashing.hash(hash);
        long check = SymbolArray.check(keyed);
        if (!rest.isMadeOf(only, check, copies) || !isPartOf(keyed, only)) {
            return false;
        }
        if (elements.size() - own == rest.size()) {
            outcome = Outcome.CONTRADICTORY;
            return true;
        }
        long state = keyed;
        int index = 0;
        while (index < rest.size()) {
            rest.add(index, hash, check, -copies);
            waiting.set(index);
            index = SymbolIndexes.after(index, state);
            state = SymbolIndexes.advance(state);
        }
        elements.add(hash, copies, keyed, state, index);
        return true;
    }

    private static boolean isPartOf(long keyed, int symbol) {
        int index = 0;
        for (long state = keyed; index < symbol; state = SymbolIndexes.advance(state)) {
            index = SymbolIndexes.after(index, state);
        }
        return index == symbol;
    }

    /** Returns whether there are multisets that differ so. */
    private boolean tellDifference() {
        // An element may have been named twice, the second time to correct the first.
        Map<Long, Long> surplus = new HashMap<>();
        for (int i = own; i < elements.size(); i++) {
            surplus.merge(elements.hash(i), elements.copies(i), Long::sum);
        }
        surplus.values().removeIf(copies -> copies == 0);
        List<UnequalElement> found = new ArrayList<>(surplus.size());
        for (int i = 0; i < own && !surplus.isEmpty(); i++) {
            Long copies = surplus.remove(elements.hash(i));
            if (copies != null) {
                // If it overflows, it is negative: copies here are positive.
                long atPeer = elements.copies(i) + copies;
                found.add(new UnequalElement(elements.hash(i), elements.copies(i), atPeer));
            }
        }
        surplus.forEach((hash, copies) -> found.add(new UnequalElement(hash, 0, copies)));
        if (found.stream().anyMatch(element -> element.atPeer() < 0)) {
            return false;
        }
        found.sort(Comparator.comparingLong(UnequalElement::hash));
        difference = List.copyOf(found);
        return true;
    }

    /** What became of the symbols so far: MORE, DECODED, CONTRADICTORY or EXHAUSTED. */
    public Outcome outcome() {
        return outcome;
    }

    /** The index of the next symbol that is needed. */
    public int received() {
        return rest.size();
    }

    /**
     * The elements that both sides do not have equally often, in ascending order of their hashes.
     *
     * @throws IllegalStateException if the outcome is not {@link Outcome#DECODED}
     */
    public List<UnequalElement> difference() {
        if (outcome != Outcome.DECODED) {
            throw new IllegalStateException("the difference is not known: " + outcome);
        }
        return difference;
    }
}
