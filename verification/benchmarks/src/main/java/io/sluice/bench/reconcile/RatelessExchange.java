/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.reconcile;

import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.filter.rateless.SymbolDecoder;
import io.sluice.filter.rateless.SymbolDecoder.Outcome;
import io.sluice.filter.rateless.SymbolEncoder;
import io.sluice.filter.rateless.UnequalElement;
import java.util.HashMap;
import java.util.Map;

/**
 * Two sides that agree by coded symbols, part by part. Both tell their totals. Where these differ,
 * A sends symbols, at first {@value #FIRST_BATCH}, and B asks for as many again as it has got until
 * it knows the difference: nobody estimates it. Then B asks for the elements that it lacks, by
 * their hashes, sends what A lacks or has fewer of, and raises the others to what A has; and both
 * tell their totals once more.
 */
final class RatelessExchange {
    private static final int FIRST_BATCH = 16;

    /** A request on the wire: the index of the next symbol, or the hash of an element. */
    private static final int REQUEST_BYTES = Long.BYTES;

    private static final int MAX_SYMBOLS = 1 << 22;

    private final MultisetPair pair;
    private final Division division;
    private final long seed;
    private long bytes;
    private long sent;
    private long needed;

    private RatelessExchange(MultisetPair pair, Division division, long seed) {
        this.pair = pair;
        this.division = division;
        this.seed = seed;
    }

    /**
     * What an exchange took, both directions together.
     *
     * @param sent symbols
     * @param needed of them, until the difference was known
     */
    record Cost(long bytes, long sent, long needed) {}

    /**
     * Runs an exchange of all parts.
     *
     * @throws IllegalStateException if what B is told about a part is not how the sides differ
     */
    static Cost of(MultisetPair pair, Division division, long seed) {
        RatelessExchange exchange = new RatelessExchange(pair, division, seed);
        for (int part = 0; part < division.parts(); part++) {
            exchange.exchange(part);
        }
        return new Cost(exchange.bytes, exchange.sent, exchange.needed);
    }

    private void exchange(int part) {
        bytes += 2L * Exchange.TOTALS_BYTES;
        Map<Long, UnequalElement> differing = differing(part);
        if (differing.isEmpty()) {
            return;
        }
        SymbolDecoder decoder = decoded(part);
        if (decoder.outcome() != Outcome.DECODED
                || decoder.difference().size() != differing.size()) {
            throw new IllegalStateException(
                    differing.size() + " elements differ, and symbols end as " + decoder.outcome());
        }
        for (UnequalElement element : decoder.difference()) {
            if (!element.equals(differing.get(element.hash()))) {
                throw new IllegalStateException("not a difference: " + element);
            }
            if (element.own() > element.atPeer()) {
                bytes += Exchange.elementBytes(element.own());
            } else if (element.own() == 0) {
                bytes += REQUEST_BYTES + Exchange.elementBytes(element.atPeer());
            }
        }
        bytes += 2L * Exchange.TOTALS_BYTES;
    }

    /** How B's part really differs from A's. */
    private Map<Long, UnequalElement> differing(int part) {
        Map<Long, UnequalElement> differing = new HashMap<>();
        division.visit(
                part,
                element -> {
                    long hash = pair.hash(element);
                    long atA = pair.copies(0)[element];
                    long atB = pair.copies(1)[element];
                    if (atA != atB) {
                        differing.put(hash, new UnequalElement(hash, atB, atA));
                    }
                });
        return differing;
    }

    private SymbolDecoder decoded(int part) {
        ExchangeKey key = new ExchangeKey(seed, part);
        RootSet ofA = Exchange.root(pair, division, part, pair.copies(0));
        RootSet ofB = Exchange.root(pair, division, part, pair.copies(1));
        SymbolEncoder encoder = new SymbolEncoder(ofA, key);
        SymbolDecoder decoder = new SymbolDecoder(ofB, key, MAX_SYMBOLS);
        int count = FIRST_BATCH;
        Outcome outcome;
        do {
            CodedSymbols batch = encoder.next(count);
            bytes += batch.serializedBytes();
            outcome = decoder.accept(batch);
            bytes += REQUEST_BYTES;
            count = encoder.produced();
        } while (outcome == Outcome.MORE);
        sent += encoder.produced();
        needed += decoder.received();
        return decoder;
    }
}
