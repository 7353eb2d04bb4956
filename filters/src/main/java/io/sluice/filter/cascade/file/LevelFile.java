/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.memory.Touches;
import io.sluice.filter.storage.Directory;
import java.io.Closeable;
import java.io.IOException;

/**
 * An immutable file of ascending entries: asked one page at a time, or read from one end to the
 * other.
 *
 * <p>Cost: a lookup touches one page, about three cache lines of it; if the page is not in the
 * cache, that takes one read of 4096 bytes. Memory holds an index of 16 to 24 bytes per page and,
 * if there is one, the {@link Summary}.
 *
 * <p>Lookups, and installing a summary, are for one thread at a time; cursors may be made and used
 * by other threads meanwhile. A damaged page is always noticed, and then an exception is thrown.
 */
@Internal
public final class LevelFile implements Closeable {

    /** The file says nothing of the key. */
    public static final int ABSENT = 0;

    /** The file holds the key. */
    public static final int PRESENT = 1;

    /** The file holds the key's tombstone. */
    public static final int TOMBSTONE = 2;

    /** The most entries on a page. */
    public static final int MAX_PAGE_ENTRIES = PageLayout.MAX_ENTRIES;

    /** Entries whose memory accesses overlap: about as many as a core has in flight. */
    private static final int GROUP = 32;

    private static final long NO_LINE = -1;

    private final FilePages pages;
    private final LevelFileInfo info;
    private final long keyMask;
    private final PageIndex index;
    private final PageCache cache;
    private final CachedPages cachedPages;
    private final PageLookups lookups;

    /** Null if there is none. */
    private Summary summary;

    private final long[] groupLines = new long[GROUP];

    private final Touches touches = new Touches();

    private boolean closed;

    LevelFile(FilePages pages, PageCache cache, CachedPages cachedPages, Summary summary) {
        this.pages = pages;
        this.info = pages.info();
        this.keyMask = Entries.mask(info.hashBits()) & ~Entries.TOMBSTONE;
        this.index = pages.index();
        this.cache = cache;
        this.cachedPages = cachedPages;
        this.lookups = new PageLookups(pages, cache, cachedPages);
        this.summary = summary;
    }

    /**
     * Opens a file: reads and checks footer and index, not the pages.
     *
     * @param expected what was written; any other file under this name is refused
     * @throws CorruptFilterException if the file is damaged, or is another file
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote it
     */
    public static LevelFile open(Directory directory, LevelFileInfo expected, PageCache cache)
            throws IOException {
        FilePages pages = FilePages.open(directory, expected);
        return new LevelFile(pages, cache, new CachedPages(pages.index().pages()), null);
    }

    /**
     * Bits that an entry takes in a long file without tombstones, its share of headers and index
     * included.
     *
     * @param distance between two entries, on average, in units of the last bit of a hash that is
     *     kept; more than 0
     */
    public static double bitsPerEntry(double distance) {
        return PageLayout.bitsPerEntry(distance)
                * ((double) (PageLayout.BYTES + Long.BYTES) / PageLayout.BYTES);
    }

    /** What a file says about itself: reads and checks its footer. */
    public static LevelFileInfo readInfo(Directory directory, String name) throws IOException {
        return FilePages.readInfo(directory, name);
    }

    /**
     * What the file says about a key: {@link #ABSENT}, {@link #PRESENT} or {@link #TOMBSTONE}. Bits
     * of the hash that the file does not keep do not matter, nor does the entry's tombstone bit.
     *
     * @throws CorruptFilterException if the page is damaged
     */
    public int find(long entry) throws IOException {
        return find(pageOf(entry), entry);
    }

    /**
     * The number of the page that may hold an entry; negative if none does. Compute it once to save
     * time in further calls for the same entry.
     */
    public int pageOf(long entry) {
        return index.pageOf(entry & keyMask);
    }

    /**
     * As {@link #find(long)}.
     *
     * @param page what {@link #pageOf} says about the entry
     */
    public int find(int page, long entry) throws IOException {
        return page < 0 ? ABSENT : lookups.find(page, entry & keyMask);
    }

    /**
     * Reads the memory that {@link #find(int, long)} will probably want, if the page is in the
     * cache, without waiting for it. For lookups in several files, or of several entries.
     *
     * @param page what {@link #pageOf} says about the entry
     * @return a meaningless number, for {@link Touches#keep}
     */
    public long touch(int page, long entry) {
        return lookups.touch(page, entry & keyMask);
    }

    /** As {@link #mightFind(int, long)}. */
    public boolean mightFind(long entry) {
        return mightFind(pageOf(entry), entry);
    }

    /**
     * Whether {@link #find} may say anything but {@link #ABSENT}, as far as memory knows: reads
     * nothing. Without a summary, whether the entry is not before the file's first.
     *
     * @param page what {@link #pageOf} says about the entry
     */
    public boolean mightFind(int page, long entry) {
        return page >= 0 && (summary == null || summary.mightContain(page, entry & keyMask));
    }

    /**
     * {@link #mightFind} for many entries, with overlapping memory accesses.
     *
     * @param candidates for each entry that may be found, {@code bit} is set in the number at its
     *     index
     */
    public void markCandidates(long[] entries, int count, long bit, long[] candidates) {
        for (int from = 0; from < count; from += GROUP) {
            int to = Math.min(count, from + GROUP);
            if (summary == null || index.pages() == 0) {
                for (int i = from; i < to; i++) {
                    candidates[i] |= mightFind(entries[i]) ? bit : 0;
                }
            } else {
                markGroup(summary, entries, from, to, bit, candidates);
            }
        }
    }

    private void markGroup(
            Summary of, long[] entries, int from, int to, long bit, long[] candidates) {
        long[] lines = groupLines;
        for (int i = from; i < to; i++) {
            long key = entries[i] & keyMask;
            int page = index.pageOf(key);
            lines[i - from] = page < 0 ? NO_LINE : of.line(page, key);
        }
        // A loop that does nothing else, so that as many cache lines as possible are in flight.
        long read = 0;
        for (int i = 0; i < to - from; i++) {
            read ^= of.touch(Math.max(0, lines[i]));
        }
        touches.keep(read);
        for (int i = from; i < to; i++) {
            long line = lines[i - from];
            boolean might = line != NO_LINE && of.mightContainAt(line, entries[i] & keyMask);
            candidates[i] |= might ? bit : 0;
        }
    }

    /** About how many entries belong to lower key groups, as far as memory knows. */
    public double entriesBefore(int keyGroup) {
        if (index.pages() == 0) {
            return 0;
        }
        if (keyGroup > Entries.keyGroup(info.lastEntry())) {
            return info.entries();
        }
        double pagesBefore = index.pagesBefore(Entries.firstOf(keyGroup), info.lastEntry() + 1);
        return info.entries() * pagesBefore / index.pages();
    }

    /**
     * What the file says about many keys. Pages that are not in the cache are read in parallel, as
     * many at a time as there are readers.
     *
     * @param sortedEntries ascending from {@code from} to {@code to}; copies of a key are allowed
     * @param results gets the answer for {@code sortedEntries[i]} at {@code i}, as {@link #find}'s
     * @throws CorruptFilterException if a page is damaged; results are then worthless
     */
    public void findAll(long[] sortedEntries, int from, int to, byte[] results, PageReaders readers)
            throws IOException {
        lookups.findAll(sortedEntries, from, to, results, readers);
    }

    /**
     * The entries of key groups from {@code firstKeyGroup} to before {@code endKeyGroup}, read in
     * large pieces past the cache. The file must stay open until the cursor is closed.
     */
    public EntryCursor cursor(int firstKeyGroup, int endKeyGroup) {
        return new LevelFileCursor(pages, firstKeyGroup, endKeyGroup);
    }

    /** All entries. */
    public EntryCursor cursor() {
        return cursor(0, Entries.MAX_KEY_GROUPS);
    }

    /**
     * Builds a summary from the whole file, which may take a while. Any thread may do this; the
     * reading thread then calls {@link #installSummary}.
     *
     * @param bitsPerKey from 1 to 32
     */
    public Summary scanSummary(int bitsPerKey) throws IOException {
        Summary.checkBitsPerKey(bitsPerKey);
        Summary.Builder builder = new Summary.Builder(bitsPerKey);
        long[] entries = new long[MAX_PAGE_ENTRIES];
        try (EntryCursor cursor = cursor()) {
            // Read as a whole, a file comes page by page.
            for (int n = cursor.next(entries); n > 0; n = cursor.next(entries)) {
                builder.addPage(entries, 0, n);
            }
        }
        return builder.build();
    }

    /**
     * Reads the whole file and checks everything that can be checked.
     *
     * @throws CorruptFilterException if any byte is not what was written
     */
    public void verify() throws IOException {
        pages.verify();
    }

    public LevelFileInfo info() {
        return info;
    }

    /** Null if there is none. */
    public Summary summary() {
        return summary;
    }

    /**
     * Replaces the present summary by another one of this file.
     *
     * @param installed null for none
     */
    public void installSummary(Summary installed) {
        if (installed != null && installed.pages() != index.pages()) {
            throw new IllegalArgumentException(
                    "installed must be a summary of " + info.name() + ", not of another file");
        }
        summary = installed;
    }

    /** Lookups that found their page in the cache. */
    public long pageHits() {
        return lookups.hits();
    }

    /** Pages that lookups have read from the file. */
    public long pageReads() {
        return lookups.reads();
    }

    /** Bytes in memory, without pages in the cache. */
    public long sizeInBytes() {
        return index.sizeInBytes()
                + cachedPages.sizeInBytes()
                + (summary == null ? 0 : summary.sizeInBytes());
    }

    /** Forgets the pages in the cache and closes the file. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            cache.remove(cachedPages);
            pages.close();
        }
    }
}
