/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

/**
 * Which page of a file an entry belongs to: the first entries of all pages, and a table that cuts
 * the space between the first and the last of them into equal slots, two to four for a page, and
 * says for each slot where its pages begin. Where keys are spread evenly, a slot holds at most one
 * page's beginning, and a lookup costs two reads; elsewhere it takes a binary search inside the
 * slot. 16 to 24 bytes for a page of 4096. Immutable.
 */
final class PageIndex {

    /** After the last page: larger than any key. */
    private static final long END = Long.MAX_VALUE;

    /** Keys of the first entries, ascending, and {@link #END}. */
    private final long[] firsts;

    private final int pages;
    private final int slotShift;

    /** For each slot, and for the end, pages that begin before it. */
    private final int[] pagesBefore;

    /**
     * @param firstEntries ascending; copied
     * @param pages how many of them count
     */
    PageIndex(long[] firstEntries, int pages) {
        this.pages = pages;
        firsts = new long[pages + 1];
        for (int page = 0; page < pages; page++) {
            firsts[page] = firstEntries[page] & ~Entries.TOMBSTONE;
        }
        firsts[pages] = END;
        long range = pages == 0 ? 0 : firsts[pages - 1] - firsts[0];
        int shift = 0;
        while (range >>> shift >= 4L * pages + 4) {
            shift++;
        }
        slotShift = shift;
        pagesBefore = new int[(int) (range >>> shift) + 2];
        int page = 0;
        for (int slot = 0; slot < pagesBefore.length; slot++) {
            while (page < pages && (firsts[page] - firsts[0]) >>> shift < slot) {
                page++;
            }
            pagesBefore[slot] = page;
        }
    }

    int pages() {
        return pages;
    }

    /** A page's first entry, without its tombstone bit; after the last page, a larger number. */
    long firstKey(int page) {
        return firsts[page];
    }

    /**
     * The last page that begins at or before {@code key}, the only one that may hold it; -1 if
     * there is none.
     *
     * @param key an entry without its tombstone bit
     */
    int pageOf(long key) {
        long[] f = firsts;
        long distance = key - f[0];
        if (distance < 0 || pages == 0) {
            return -1;
        }
        int slot = (int) Math.min(distance >>> slotShift, pagesBefore.length - 2);
        int page = pagesBefore[slot];
        // All pages before are in lower slots. One or two steps are nearly always enough.
        page += notBehind(f[page], key);
        page += notBehind(f[page], key);
        if (f[page] <= key) {
            page = search(key, page, pagesBefore[slot + 1]);
        }
        return page - 1;
    }

    /**
     * How many pages are before a key, including a fraction of its own page, as if keys were spread
     * evenly there.
     *
     * @param end just after the last entry
     */
    double pagesBefore(long key, long end) {
        int page = pageOf(key);
        if (page < 0) {
            return 0;
        }
        long next = page + 1 < pages ? firsts[page + 1] : end;
        double part = (double) (key - firsts[page]) / Math.max(1, next - firsts[page]);
        return page + Math.min(1, part);
    }

    /**
     * Returns the fraction of the page's key range below the key, from 0 to 1; about 0 on the last
     * page, whose upper bound is unknown.
     */
    double partBefore(int page, long key) {
        long first = firsts[page];
        return (double) (key - first) / (double) (firsts[page + 1] - first);
    }

    /** 1 if {@code first <= key}, else 0, without a branch; both are at least 0. */
    private static int notBehind(long first, long key) {
        return (int) ((first - key - 1) >>> 63);
    }

    /** The first of the pages {@code from} to {@code to} that begins after {@code key}. */
    private int search(long key, int from, int to) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (firsts[middle] <= key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    long sizeInBytes() {
        return (long) firsts.length * Long.BYTES + (long) pagesBefore.length * Integer.BYTES;
    }
}
