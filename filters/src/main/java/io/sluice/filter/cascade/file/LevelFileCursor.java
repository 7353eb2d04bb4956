/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads the pages of a range of key groups from the first to the last, many at a time. */
final class LevelFileCursor implements EntryCursor {

    private final FilePages pages;
    private final long lower;
    private final long last;
    private final int endPage;
    private final long entriesPerPage;

    /** Null when closed. */
    private ByteBuffer buffer;

    private int nextPage;

    /** Pages of the buffer that are still to be decoded: where the next one is, and how many. */
    private int bufferAt;

    private int buffered;

    /** Entries of a page that were decoded, but did not fit or were not all in the range. */
    private final long[] left = new long[PageLayout.MAX_ENTRIES];

    /** The page that is decoded. */
    private final byte[] copy = new byte[PageLayout.BYTES];

    private int leftFrom;
    private int leftTo;

    LevelFileCursor(FilePages pages, int firstKeyGroup, int endKeyGroup) {
        if (firstKeyGroup < 0
                || firstKeyGroup > endKeyGroup
                || endKeyGroup > Entries.MAX_KEY_GROUPS) {
            throw new IllegalArgumentException(
                    "key groups must be a range inside 0 to "
                            + Entries.MAX_KEY_GROUPS
                            + ", got "
                            + firstKeyGroup
                            + " to "
                            + endKeyGroup);
        }
        this.pages = pages;
        PageIndex index = pages.index();
        lower = Entries.firstOf(firstKeyGroup);
        // After all key groups this is Long.MIN_VALUE - 1, the greatest entry of all.
        last = Entries.lastBefore(endKeyGroup);
        nextPage = Math.max(0, index.pageOf(lower));
        endPage = index.pageOf(last & ~Entries.TOMBSTONE) + 1;
        entriesPerPage = index.pages() == 0 ? 0 : pages.info().entries() / index.pages();
        buffer = TransferBuffers.take();
    }

    @Override
    public int next(long[] into) throws IOException {
        if (buffer == null) {
            throw new IllegalStateException("the cursor is closed");
        }
        while (leftFrom == leftTo) {
            if (buffered == 0 && !fill()) {
                return 0;
            }
            boolean fits =
                    PageDecoder.count(buffer, bufferAt) <= into.length
                            && PageDecoder.firstEntry(buffer, bufferAt) >= lower
                            && nextPage < endPage;
            int n = pages.decode(nextPage++, buffer, bufferAt, copy, fits ? into : left);
            bufferAt += PageLayout.BYTES;
            buffered--;
            if (fits && into[n - 1] <= last) {
                return n;
            }
            if (fits) {
                System.arraycopy(into, 0, left, 0, n);
            }
            leftFrom = entriesBelow(lower, n);
            leftTo = last == Long.MAX_VALUE ? n : entriesBelow(last + 1, n);
        }
        int n = Math.min(into.length, leftTo - leftFrom);
        System.arraycopy(left, leftFrom, into, 0, n);
        leftFrom += n;
        return n;
    }

    /** How many of the {@code count} entries of a page are below {@code bound}. */
    private int entriesBelow(long bound, int count) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (left[middle] < bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean fill() throws IOException {
        int n = Math.min(TransferBuffers.PAGES, endPage - nextPage);
        if (n <= 0) {
            return false;
        }
        long position = (long) nextPage << PageLayout.SHIFT;
        buffer.clear().limit(n << PageLayout.SHIFT);
        pages.read(position, buffer);
        bufferAt = 0;
        buffered = n;
        return true;
    }

    @Override
    public int hashBits() {
        return pages.info().hashBits();
    }

    @Override
    public long expectedEntries() {
        return leftTo - leftFrom + Math.max(0, endPage - nextPage) * entriesPerPage;
    }

    @Override
    public void close() {
        if (buffer != null) {
            TransferBuffers.give(buffer);
            buffer = null;
        }
    }
}
