/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.message.MessageFormat;

/**
 * Decides how many coded symbols a question has; 0 if it is a filter. At first nobody knows how
 * many elements differ: the digests only tell by how many elements one side has more, and so how
 * many differ at least. Symbols that do not suffice are answered with a sketch, which tells it with
 * an error that is known. Stateless.
 */
final class SymbolCount {

    /** Enough for about a dozen differences: a message takes more than its first symbols. */
    static final int LEAST = 24;

    /**
     * The most that are sent because of the digests alone. Where one side just lacks some elements
     * these suffice; where both lack some, they are in vain, and tell no more than the least.
     */
    static final int MAX_AT_FIRST = 256;

    /** With counts of some bits, see {@link io.sluice.filter.rateless}. */
    private static final int SYMBOL_BYTES = 14;

    private static final long MAX_SYMBOL_BYTES = 20;
    private static final int ENVELOPE_BYTES = 80;

    /** Standard errors: once in about twenty times more elements differ, or take more symbols. */
    private static final double MARGIN = 1.65;

    private SymbolCount() {}

    /**
     * Returns the number at the beginning of a round. With {@link DifferenceMethod#AUTO} they take
     * at most half of a filter, because they may be in vain.
     *
     * @param own how many elements this side has
     * @param peer how many elements the peer has
     * @param filter bytes that a filter would take
     */
    static int first(ReconcileSettings settings, long own, long peer, double filter) {
        long told = sufficient(Math.abs((double) own - peer), 0);
        long symbols = told <= MAX_AT_FIRST ? Math.max(LEAST, told) : LEAST;
        return isAffordable(settings, told, filter) && isAffordable(settings, symbols, filter / 2)
                ? (int) symbols
                : 0;
    }

    /**
     * Returns the number after {@code tried} have not been enough: at least half as many again,
     * whatever the estimate says, so that all that are in vain are at most three times the last.
     *
     * @param differing estimate of the elements that differ
     * @param relativeError standard error of the estimate, as a share of it
     * @param filter bytes that a filter would take
     */
    static int next(
            ReconcileSettings settings,
            int tried,
            double differing,
            double relativeError,
            double filter) {
        long symbols = Math.max(tried + tried / 2L + 1, sufficient(differing, relativeError));
        return isAffordable(settings, symbols, filter) ? (int) symbols : 0;
    }

    /**
     * Symbols that tell so many differences nineteen times in twenty. On average that takes 1.35
     * each and the square root of their number, with a standard deviation of 1.2 times this root:
     * measured within a symbol or two for 8 to 32,768 differences.
     */
    private static long sufficient(double differing, double relativeError) {
        double root = Math.sqrt(differing);
        double deviation = Math.hypot(1.2 * root, 1.4 * differing * relativeError);
        return (long) Math.ceil(1.35 * differing + root + MARGIN * deviation);
    }

    private static boolean isAffordable(ReconcileSettings settings, long symbols, double filter) {
        int most = settings.maxMessageBytes() - MessageFormat.SYMBOLS_OVERHEAD_BYTES;
        boolean fits = symbols <= (most - ENVELOPE_BYTES) / MAX_SYMBOL_BYTES;
        boolean pays =
                switch (settings.method()) {
                    case QUERY, DECODE -> false;
                    case RATELESS -> true;
                    case AUTO -> SYMBOL_BYTES * symbols <= filter;
                };
        return fits && pays;
    }
}
