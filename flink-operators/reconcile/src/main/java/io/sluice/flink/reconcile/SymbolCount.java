/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.message.MessageFormat;

/**
 * Decides how many coded symbols a question has; 0 if it is a filter. The digests tell by how many
 * elements the multisets differ in size, and so how many differ at least. Stateless.
 */
final class SymbolCount {

    /** Enough for about a dozen differences: a message takes more than its first symbols. */
    static final int LEAST = 24;

    /** Few differences take about 1.7 each, many 1.35. */
    private static final int PER_DIFFERENCE = 2;

    /** With counts of some bits, see {@link io.sluice.filter.rateless}. */
    private static final int SYMBOL_BYTES = 14;

    private static final long MOST_SYMBOL_BYTES = 20;
    private static final int ENVELOPE_BYTES = 80;

    private SymbolCount() {}

    /**
     * The number at the beginning of a round. If as many elements differ as the digests tell, the
     * symbols suffice, so {@link DifferenceMethod#AUTO} has them if they take fewer bytes than a
     * filter.
     *
     * @param own how many elements this side has
     * @param peer how many elements the peer has
     */
    static int first(ReconcileSettings settings, long own, long peer) {
        long differences = Math.min(Math.abs(own - peer), Integer.MAX_VALUE);
        long symbols = Math.max(LEAST, PER_DIFFERENCE * differences);
        return affordable(settings, symbols, 1, own, peer);
    }

    /**
     * The number after {@code tried} have not been enough. With {@link DifferenceMethod#AUTO} they
     * take at most a quarter of a filter, so that all that were tried in vain take half of one.
     */
    static int next(ReconcileSettings settings, int tried, long own, long peer) {
        return affordable(settings, 2L * tried, 0.25, own, peer);
    }

    private static int affordable(
            ReconcileSettings settings, long symbols, double share, long own, long peer) {
        int most = settings.maxMessageBytes() - MessageFormat.SYMBOLS_OVERHEAD_BYTES;
        boolean fits = ENVELOPE_BYTES + MOST_SYMBOL_BYTES * symbols <= most;
        double filter = settings.filterBytes(Math.max(own, peer));
        boolean pays =
                switch (settings.method()) {
                    case QUERY, DECODE -> false;
                    case RATELESS -> true;
                    case AUTO -> SYMBOL_BYTES * symbols <= share * filter;
                };
        return fits && pays ? (int) symbols : 0;
    }
}
