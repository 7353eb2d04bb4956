/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.memory.Touches;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Lookups in the pages of one file, cached or read for the purpose: one at a time, or many, with
 * overlapping memory accesses and reads.
 *
 * <p>For one thread at a time. A key is an entry with the bits that the file keeps, without its
 * tombstone bit.
 */
final class PageLookups {

    /** Entries whose memory accesses overlap: about as many as a core has in flight. */
    private static final int GROUP = 32;

    private final FilePages pages;
    private final PageIndex index;
    private final PageGuess guess;
    private final PageCache cache;
    private final CachedPages cachedPages;
    private final int droppedBits;
    private final long keyMask;

    private final PageBatch batch = new PageBatch();
    private final int[] groupPages = new int[GROUP];

    private final Touches touches = new Touches();

    private long hits;
    private long reads;

    PageLookups(FilePages pages, PageCache cache, CachedPages cachedPages) {
        int hashBits = pages.info().hashBits();
        this.pages = pages;
        this.index = pages.index();
        this.guess = new PageGuess(pages.info(), index);
        this.cache = cache;
        this.cachedPages = cachedPages;
        this.droppedBits = Entries.droppedBits(hashBits);
        this.keyMask = Entries.mask(hashBits) & ~Entries.TOMBSTONE;
    }

    /** Lookups that found their page in the cache. */
    long hits() {
        return hits;
    }

    /** Pages that were read from the file. */
    long reads() {
        return reads;
    }

    /**
     * Reads the memory that {@link #find} will probably want, if the page is in the cache, without
     * waiting for it.
     *
     * @param page negative for none
     * @return a meaningless number, for {@link Touches#keep}
     */
    long touch(int page, long key) {
        int frame = page < 0 ? PageCache.NONE : cachedPages.frames[page];
        // The stamp is read first, as in a lookup: then the frame's memory is visible.
        if (frame == PageCache.NONE || (cache.stamp(frame) & 1) != 0) {
            return 0;
        }
        return guess.touch(
                cache.buffer(frame), PageCache.offset(frame), index.partBefore(page, key));
    }

    /** What a page says about a key. */
    int find(int page, long key) throws IOException {
        int found = findInCache(page, key);
        if (found >= 0) {
            hits++;
            return found;
        }
        reads++;
        int frame = cache.claim();
        if (frame == PageCache.NONE) {
            ByteBuffer buffer = TransferBuffers.take();
            try {
                pages.load(page, buffer, 0);
                return PageDecoder.find(buffer, 0, key, droppedBits);
            } finally {
                TransferBuffers.give(buffer);
            }
        }
        boolean loaded = false;
        try {
            ByteBuffer buffer = cache.buffer(frame);
            int at = PageCache.offset(frame);
            pages.load(page, buffer, at);
            loaded = true;
            return PageDecoder.find(buffer, at, key, droppedBits);
        } finally {
            if (loaded) {
                cache.publish(frame, cachedPages, page);
            } else {
                cache.release(frame);
            }
        }
    }

    /** As {@link #find}; -1 if the page is not in the cache, or was evicted meanwhile. */
    private int findInCache(int page, long key) {
        int frame = cachedPages.frames[page];
        if (frame == PageCache.NONE) {
            return -1;
        }
        int stamp = cache.stamp(frame);
        // Checked again after the stamp: a frame that was given away before is not ours.
        if ((stamp & 1) != 0 || cachedPages.frames[page] != frame) {
            return -1;
        }
        int found;
        try {
            found =
                    PageDecoder.find(
                            cache.buffer(frame), PageCache.offset(frame), key, droppedBits);
        } catch (IndexOutOfBoundsException torn) {
            if (cache.isUnchanged(frame, stamp)) {
                throw torn;
            }
            return -1;
        }
        if (!cache.isUnchanged(frame, stamp)) {
            return -1;
        }
        cache.use(frame);
        return found;
    }

    /** See {@link LevelFile#findAll}. */
    void findAll(long[] sortedEntries, int from, int to, byte[] results, PageReaders readers)
            throws IOException {
        for (int group = from; group < to; group += GROUP) {
            int end = Math.min(to, group + GROUP);
            touchAll(sortedEntries, group, end);
            for (int i = group; i < end; i++) {
                int page = groupPages[i - group];
                if (page < 0) {
                    results[i] = LevelFile.ABSENT;
                } else if (!batch.joins(page, i)) {
                    int found = findInCache(page, sortedEntries[i] & keyMask);
                    if (found >= 0) {
                        hits++;
                        results[i] = (byte) found;
                    } else {
                        if (batch.isFull()) {
                            readBatch(sortedEntries, results, readers);
                        }
                        batch.add(page, i);
                    }
                }
            }
        }
        readBatch(sortedEntries, results, readers);
    }

    /** Finds the pages of a group of entries, and reads what will be needed of them. */
    private void touchAll(long[] entries, int from, int to) {
        for (int i = from; i < to; i++) {
            groupPages[i - from] = index.pageOf(entries[i] & keyMask);
        }
        long read = 0;
        for (int i = from; i < to; i++) {
            read ^= touch(groupPages[i - from], entries[i] & keyMask);
        }
        touches.keep(read);
    }

    /** Reads the pages of the batch, answers their keys, and empties the batch. */
    private void readBatch(long[] entries, byte[] results, PageReaders readers) throws IOException {
        int size = batch.size;
        batch.size = 0;
        int claimed = 0;
        while (claimed < size) {
            batch.frames[claimed] = cache.claim();
            if (batch.frames[claimed] == PageCache.NONE) {
                break;
            }
            claimed++;
        }
        readers.run(claimed, this::loadPart);
        Exception failure = null;
        for (int part = 0; part < claimed; part++) {
            int frame = batch.frames[part];
            if (batch.failures[part] == null) {
                for (int i = batch.from[part]; i < batch.to[part]; i++) {
                    ByteBuffer buffer = cache.buffer(frame);
                    int at = PageCache.offset(frame);
                    long key = entries[i] & keyMask;
                    results[i] = (byte) PageDecoder.find(buffer, at, key, droppedBits);
                }
                cache.publish(frame, cachedPages, batch.pages[part]);
            } else {
                cache.release(frame);
                if (failure == null) {
                    failure = batch.failures[part];
                } else {
                    failure.addSuppressed(batch.failures[part]);
                }
            }
        }
        reads += claimed;
        if (failure instanceof IOException) {
            throw (IOException) failure;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
        // The cache has no more frames to lend: read the others one by one.
        for (int part = claimed; part < size; part++) {
            for (int i = batch.from[part]; i < batch.to[part]; i++) {
                results[i] = (byte) find(batch.pages[part], entries[i] & keyMask);
            }
        }
    }

    private void loadPart(int part) {
        int frame = batch.frames[part];
        try {
            pages.load(batch.pages[part], cache.buffer(frame), PageCache.offset(frame));
        } catch (IOException | RuntimeException e) {
            batch.failures[part] = e;
        }
    }
}
