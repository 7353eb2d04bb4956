/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.FilterSizing;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PlaneSizing;
import io.sluice.filter.plane.SlicedArray;
import java.util.Objects;

/**
 * Sizes and makes {@link ForgetfulBloomFilter}s. The size is given either as ids per slice and
 * probability, or, to reproduce a figure, as positions and positions per id.
 */
public final class ForgetfulBloomFilterBuilder {

    /** Spends a little more memory on fewer positions per id: each is a cache miss. */
    private static final double SLACK = 1.05;

    private int pastFilters = 1;
    private int maxPastFilters;
    private SeenRule rule = SeenRule.SLICES;
    private Layout layout = Layout.SCATTERED;
    private long idsPerSlice;
    private double fpp;
    private long positions;
    private int probes;
    private int lines;
    private int perLine;

    ForgetfulBloomFilterBuilder() {}

    /** N, from 1 to 61. Default 1, the paper's basic filter. */
    public ForgetfulBloomFilterBuilder pastFilters(int n) {
        pastFilters = n;
        return this;
    }

    /** The largest N that will be set later. Default: what the words for N have bits for. */
    public ForgetfulBloomFilterBuilder maxPastFilters(int n) {
        maxPastFilters = n;
        return this;
    }

    /** Default {@link SeenRule#SLICES}. */
    public ForgetfulBloomFilterBuilder rule(SeenRule seenRule) {
        rule = Objects.requireNonNull(seenRule, "seenRule");
        return this;
    }

    /** Default {@link Layout#SCATTERED}. {@link Layout#BLOCKED} needs {@link SeenRule#SLICES}. */
    public ForgetfulBloomFilterBuilder layout(Layout where) {
        layout = Objects.requireNonNull(where, "where");
        return this;
    }

    /** Sizes the filter so that N + 2 slices of {@code ids} ids give this probability. */
    public ForgetfulBloomFilterBuilder sized(long ids, double probability) {
        idsPerSlice = ids;
        fpp = probability;
        positions = 0;
        return this;
    }

    /**
     * Sets the positions in each filter (rounded up to a cache line), and the positions per id,
     * from 1 to 64, anywhere.
     */
    public ForgetfulBloomFilterBuilder scattered(long m, int k) {
        layout = Layout.SCATTERED;
        positions = m;
        probes = k;
        return this;
    }

    /**
     * Sets the positions in each filter, the cache lines per id, and the positions in each line.
     */
    public ForgetfulBloomFilterBuilder blocked(long m, int cacheLines, int positionsPerLine) {
        layout = Layout.BLOCKED;
        positions = m;
        lines = cacheLines;
        perLine = positionsPerLine;
        return this;
    }

    /** Makes an empty filter. */
    public ForgetfulBloomFilter build() {
        int most = Math.max(pastFilters, maxPastFilters);
        if (pastFilters < 1 || most > Long.SIZE - 3) {
            throw new IllegalArgumentException(
                    "pastFilters must be between 1 and "
                            + (Long.SIZE - 3)
                            + ", got "
                            + pastFilters
                            + " (at most "
                            + most
                            + " later): make the time between refreshes longer instead");
        }
        if (!layout.isBloom()) {
            throw new IllegalArgumentException(
                    "layout must be SCATTERED or BLOCKED, got "
                            + layout
                            + ": only a ForgetfulFilter can be a table of fingerprints");
        }
        if (layout == Layout.BLOCKED && rule != SeenRule.SLICES) {
            throw new IllegalArgumentException(
                    "the blocked layout needs the rule SLICES, got " + rule);
        }
        // Future, present, and the spare plane that the sweep empties.
        int wordBits = Math.max(Byte.SIZE, Integer.highestOneBit(most + 2) << 1);
        Geometry geometry = positions > 0 ? given(wordBits) : sized(wordBits);
        return new ForgetfulBloomFilter(SlicedArray.create(geometry), rule, pastFilters);
    }

    private Geometry given(int wordBits) {
        return layout == Layout.SCATTERED
                ? Geometry.scattered(wordBits, positions, probes)
                : Geometry.blocked(wordBits, positions, lines, perLine);
    }

    private Geometry sized(int wordBits) {
        if (idsPerSlice < 1 || !(fpp > 0 && fpp < 1)) {
            throw new IllegalArgumentException(
                    "sized(ids >= 1, 0 < probability < 1) or positions are needed, got "
                            + idsPerSlice
                            + " and "
                            + fpp);
        }
        int filters = pastFilters + 2;
        double share = fpp / filters;
        if (layout == Layout.SCATTERED) {
            Geometry shape =
                    Geometry.scattered(wordBits, 1, FilterSizing.fewestProbes(share, SLACK));
            return ForgetfulSizing.smallest(shape, rule, filters, (double) idsPerSlice, fpp);
        }
        Geometry best = null;
        for (int each = 2; each <= Long.SIZE * Long.BYTES / wordBits / 2; each *= 2) {
            Geometry shape = Geometry.blocked(wordBits, 1, PlaneSizing.lines(fpp), each);
            Geometry geometry =
                    ForgetfulSizing.smallest(shape, rule, filters, (double) idsPerSlice, fpp);
            if (best == null || geometry.positions() < best.positions()) {
                best = geometry;
            }
        }
        return best;
    }
}
