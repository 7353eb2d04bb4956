/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.MembershipFilter;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.SlicedArray;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The forgetful Bloom filter of Subramanyam, Gupta, Leslie and Wang (sections 2 and 3): N past
 * filters, a present and a future one, of which {@link #refresh} forgets the oldest.
 *
 * <p><b>Guarantee:</b> an id that {@link #add} recorded is reported as seen through the next N + 1
 * refreshes, and forgotten by the one after them, where N is the least number of past filters that
 * was set meanwhile. With a refresh every t this is the paper's window: at least (N + 1) t, at most
 * (N + 2) t. (Under {@link SeenRule#SIMPLE} this holds only for N = 1.) A duplicate does not renew
 * the age of its id.
 *
 * <p><b>Departures.</b> All filters lie bit-sliced in one array ({@link SlicedArray}), so a lookup
 * costs the same cache lines for any N. The check is corrected ({@link SeenRule#NEIGHBOUR_PAIRS});
 * by default each slice is stored once ({@link SeenRule#SLICES}). More past filters are not
 * appended empty after the oldest, where they would cut off the ids that only the oldest held;
 * instead refreshes stop forgetting until there are enough. "The oldest" is always the oldest
 * filter that ever held something.
 *
 * <p>Cost: add and mightContain O(k); refresh O(1), as the next insertions empty its plane. If
 * fewer than about 1/8 of a slice's ids come between two refreshes, and no spare plane is left, the
 * second refresh finishes the first one's sweep: O(size). Not thread-safe.
 */
public final class ForgetfulBloomFilter implements MembershipFilter, Persistent {

    /** Future and present. */
    private static final int NEWEST = 2;

    /** For the paper's rules, see {@link #predictedFpp}. */
    private static final double MAX_PREDICTED = 0.02;

    /** A retired plane is empty again after this share of the last slice's ids was inserted. */
    private static final int SWEEP_SHARE = 8;

    /** At most this many words at once: some 10 microseconds. */
    static final int MAX_SWEEP_WORDS = 1 << 13;

    private final SlicedArray array;
    private final SeenRule rule;

    /** Ids per slice, by age; slice 0 is filling. One more than there can be live filters. */
    private final long[] sliceIds;

    private int pastFilters;

    /** Plane of the future filter; older filters follow in ring order. */
    private int head;

    /** Filters that hold something, or could: from the future one to the oldest with a history. */
    private int filters;

    private int sweepWords;

    /** Planes as the rule needs them: of live filters; those that an id goes into; the oldest. */
    private long live;

    private long inserted;
    private long oldest;

    ForgetfulBloomFilter(SlicedArray array, SeenRule rule, int pastFilters) {
        this.array = array;
        this.rule = rule;
        this.pastFilters = pastFilters;
        this.sliceIds = new long[array.geometry().wordBits()];
        this.filters = rule.planesPerId();
        planesMoved();
    }

    /** Sizes and makes a filter. */
    public static ForgetfulBloomFilterBuilder builder() {
        return new ForgetfulBloomFilterBuilder();
    }

    @Override
    public boolean add(long hash) {
        if (mightContain(hash)) {
            return false;
        }
        array.add(hash, inserted);
        sliceIds[0]++;
        if (array.dirty() != 0) {
            array.sweep(sweepWords);
        }
        return true;
    }

    @Override
    public boolean mightContain(long hash) {
        long holding = array.probe(hash, live);
        return holding != 0 && seen(holding);
    }

    private boolean seen(long holding) {
        return switch (rule) {
            case SLICES -> true;
            case SIMPLE -> (holding & (planeOfAge(1) | oldest)) != 0;
            case NEIGHBOUR_PAIRS -> {
                // There is always a spare plane between the oldest and the newest: no pair wraps.
                long older = Long.rotateRight(array.inEveryLane(holding), 1);
                yield (holding & (older | planeOfAge(0) | oldest)) != 0;
            }
        };
    }

    /**
     * Forgets the oldest slice if there are N + 2 filters, and begins a new slice. O(1), see the
     * class comment.
     */
    public void refresh() {
        int wordBits = array.geometry().wordBits();
        int next = (head - 1) & (wordBits - 1);
        array.sweep(MAX_SWEEP_WORDS);
        if (((array.dirty() >>> next) & 1) != 0) {
            array.finishSweep();
        }
        head = next;
        System.arraycopy(sliceIds, 0, sliceIds, 1, sliceIds.length - 1);
        sliceIds[0] = 0;
        filters++;
        dropBeyond(pastFilters + NEWEST);
        long share = Math.max(1, sliceIds[1] / SWEEP_SHARE);
        sweepWords = (int) Math.min(MAX_SWEEP_WORDS, array.geometry().words() / share + Long.BYTES);
    }

    /**
     * Changes N. If it grows, refreshes forget nothing until there are that many. If it shrinks,
     * the oldest are forgotten now.
     *
     * @param n at least 1 and at most {@link #maxPastFilters}
     */
    public void setPastFilters(int n) {
        if (n < 1 || n > maxPastFilters()) {
            throw new IllegalArgumentException(
                    "pastFilters must be between 1 and "
                            + maxPastFilters()
                            + ", got "
                            + n
                            + ": tell the builder the largest number");
        }
        pastFilters = n;
        dropBeyond(n + NEWEST);
    }

    /** Forgets the oldest filter now; it must be older than those that an id is inserted into. */
    void forgetOldest() {
        if (filters <= rule.planesPerId()) {
            throw new IllegalStateException("only the newest filters are left");
        }
        dropBeyond(filters - 1);
    }

    private void dropBeyond(int most) {
        long dropped = 0;
        while (filters > most) {
            filters--;
            if (sliceIds[filters] != 0 || sliceIds[filters - 1] != 0) {
                dropped |= planeOfAge(filters);
            }
            sliceIds[filters] = 0;
        }
        planesMoved();
        if (dropped != 0) {
            array.retire(dropped);
        }
    }

    private void planesMoved() {
        live = 0;
        for (int age = 0; age < filters; age++) {
            live |= planeOfAge(age);
        }
        inserted = planeOfAge(0) | (rule.planesPerId() == 2 ? planeOfAge(1) : 0);
        oldest = planeOfAge(filters - 1);
    }

    private long planeOfAge(int age) {
        return 1L << ((head + age) & (array.geometry().wordBits() - 1));
    }

    /** N. */
    public int pastFilters() {
        return pastFilters;
    }

    /** The largest N that the words have bits for; one plane is always spare. */
    public int maxPastFilters() {
        return array.geometry().wordBits() - NEWEST - 1;
    }

    /** Filters that have a history: at most N + 2. */
    public int filters() {
        return filters;
    }

    /** Ids per slice that are held, from the newest slice to the oldest. */
    public long[] sliceIds() {
        return Arrays.copyOf(sliceIds, filters);
    }

    /** Positions of the array: m. */
    public long positions() {
        return array.geometry().positions();
    }

    /** Positions per id: k. */
    public int probes() {
        return array.geometry().probes();
    }

    /** The rule that decides what counts as seen. */
    public SeenRule rule() {
        return rule;
    }

    /** Where the positions of an id lie. */
    public Layout layout() {
        return array.geometry().layout();
    }

    /**
     * Probability that an absent id is reported as seen, now, from the ids per slice. O(N), and
     * about a hundred times slower when the filter is much fuller than it was made for. The paper's
     * filters overlap, and an id that one of them reports is recorded in none: above {@value
     * #MAX_PREDICTED} the numbers of ids no longer determine which bits are set, so this is {@link
     * #measuredFpp}, O(size).
     */
    public double predictedFpp() {
        double[] offered = new OfferedIds(array.geometry()).of(sliceIds, filters);
        double predicted = ForgetfulSizing.fpp(array.geometry(), rule, offered);
        return rule == SeenRule.SLICES || predicted <= MAX_PREDICTED ? predicted : measuredFpp();
    }

    /**
     * The same probability from the bits that are set: in the planes themselves under {@link
     * SeenRule#SLICES}, in the AND of two neighbours under the pair rule. O(size).
     */
    public double measuredFpp() {
        return MeasuredFpp.of(array, rule, planesByAge());
    }

    private int[] planesByAge() {
        int[] planes = new int[filters];
        for (int age = 0; age < filters; age++) {
            planes[age] = Long.numberOfTrailingZeros(planeOfAge(age));
        }
        return planes;
    }

    @Override
    public long sizeInBytes() {
        return array.sizeInBytes() + (long) sliceIds.length * Long.BYTES;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        ForgetfulBloomFilterFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static ForgetfulBloomFilter readFrom(InputStream in, String source) throws IOException {
        return ForgetfulBloomFilterFormat.read(in, source);
    }

    SlicedArray array() {
        return array;
    }

    int head() {
        return head;
    }

    int sweepWords() {
        return sweepWords;
    }

    /** Completes a filter that was read. */
    void restore(int headPlane, long[] slices, int wordsToSweep) {
        head = headPlane;
        filters = slices.length;
        System.arraycopy(slices, 0, sliceIds, 0, slices.length);
        sweepWords = wordsToSweep;
        planesMoved();
    }
}
