/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.cascade.file.PageReaders;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What many filters share: the cache of pages, threads, and a limit on writing. Closed by its
 * creator, after the filters. Thread-safe.
 *
 * <p>Threads, all of them daemons that end when they are idle: one writes buffers and lists of
 * files, and deletes; one does short merges; the others do long ones, so that a long merge never
 * holds up what keeps the number of files low. One more builds overviews: what is added meanwhile
 * has to be logged for them, so they should not wait either. Threads of different resources that do
 * the same kind of work take turns, see {@link ConcurrencyLimit}.
 */
@Internal
public final class CascadeResources implements AutoCloseable {

    private static final long IDLE_SECONDS = 10;

    /**
     * For short merges and overviews: both begin when a buffer is full. Files pile up while a merge
     * waits, and while an overview waits all additions have to be logged for it.
     */
    private static final ConcurrencyLimit SHORT = ConcurrencyLimit.ofProcess(1_000);

    /** For long merges, which others cannot wait for. */
    private static final ConcurrencyLimit LONG = ConcurrencyLimit.ofProcess(10_000);

    private final PageCache pageCache;
    private final PageReaders readers;
    private final Executor writer;
    private final Executor shortMerges;
    private final Executor longMerges;
    private final Executor overviews;
    private final WriteLimit writeLimit;
    private final List<ExecutorService> owned;

    private CascadeResources(
            PageCache pageCache,
            PageReaders readers,
            Executor writer,
            Executor shortMerges,
            Executor longMerges,
            Executor overviews,
            WriteLimit writeLimit,
            List<ExecutorService> owned) {
        this.pageCache = pageCache;
        this.readers = readers;
        this.writer = writer;
        this.shortMerges = shortMerges;
        this.longMerges = longMerges;
        this.overviews = overviews;
        this.writeLimit = writeLimit;
        this.owned = owned;
    }

    /**
     * Threads and a cache of their own.
     *
     * @param pageCacheBytes memory for pages of level files
     * @param mergeThreads threads that merge; with two or more, one is kept for short merges
     * @param writeBytesPerSecond the most that merges write; {@link Long#MAX_VALUE} for no limit
     */
    public static CascadeResources create(
            long pageCacheBytes, int mergeThreads, long writeBytesPerSecond) {
        return create(new PageCache(pageCacheBytes), mergeThreads, writeBytesPerSecond);
    }

    /** As {@link #create(long, int, long)}, with a cache whose memory may come from elsewhere. */
    public static CascadeResources create(
            PageCache pageCache, int mergeThreads, long writeBytesPerSecond) {
        if (mergeThreads < 1) {
            throw new IllegalArgumentException(
                    "mergeThreads must be at least 1, got " + mergeThreads);
        }
        if (writeBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "writeBytesPerSecond must be at least 1, got " + writeBytesPerSecond);
        }
        ExecutorService writer = pool("cascade-writer", 1);
        ExecutorService shortMerges = pool("cascade-merge", 1);
        ExecutorService longMerges =
                mergeThreads == 1 ? shortMerges : pool("cascade-long-merge", mergeThreads - 1);
        ExecutorService overviews = pool("cascade-overview", 1);
        return new CascadeResources(
                pageCache,
                new PageReaders(PageReaders.DEFAULT_THREADS),
                writer,
                SHORT.taking(shortMerges),
                LONG.taking(longMerges),
                SHORT.taking(overviews),
                new WriteLimit(writeBytesPerSecond),
                List.of(writer, shortMerges, longMerges, overviews));
    }

    /** Everything in the background is done by {@code executor}: for tests that control when. */
    static CascadeResources of(PageCache pageCache, Executor executor) {
        return new CascadeResources(
                pageCache,
                new PageReaders(0),
                executor,
                executor,
                executor,
                executor,
                new WriteLimit(Long.MAX_VALUE),
                List.of());
    }

    private static ExecutorService pool(String name, int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            Thread thread = new Thread(task, name);
                            thread.setDaemon(true);
                            return thread;
                        });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** The cache, for its statistics. */
    public PageCache pageCache() {
        return pageCache;
    }

    PageReaders readers() {
        return readers;
    }

    Executor writer() {
        return writer;
    }

    Executor merges(boolean isLong) {
        return isLong ? longMerges : shortMerges;
    }

    Executor overviews() {
        return overviews;
    }

    WriteLimit writeLimit() {
        return writeLimit;
    }

    /** Ends the threads. Filters that use them have to be closed before. Idempotent. */
    @Override
    public void close() {
        owned.forEach(ExecutorService::shutdown);
        readers.close();
    }
}
