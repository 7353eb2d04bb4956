/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.storage.NioDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** The cascade filter, one key group. It hashes its keys itself, within the time. */
final class CascadeSet implements DiskFilter {
    private static final long POLL_NANOS = 1_000_000;

    /** For a moment between the end of one merge and the beginning of the next, none runs. */
    private static final int QUIET_POLLS = 50;

    private final CascadeFilter filter;
    private long[] hashes = new long[0];
    private boolean[] absent = new boolean[0];

    CascadeSet(Path files, NioDirectory.Reads reads, CascadeOptions options) throws IOException {
        filter = CascadeFilter.open(new NioDirectory(files, reads), options);
    }

    @Override
    public void add(long... keys) {
        for (long key : keys) {
            filter.insert(0, Hashing.hash(key));
        }
    }

    /** Adds the keys that are not reported, one by one. */
    void addIfAbsent(long... keys) {
        for (long key : keys) {
            filter.add(0, Hashing.hash(key));
        }
    }

    /** Does the same by one call of the filter. */
    void addAll(long... keys) {
        if (hashes.length < keys.length) {
            hashes = new long[keys.length];
            absent = new boolean[keys.length];
        }
        for (int i = 0; i < keys.length; i++) {
            hashes[i] = Hashing.hash(keys[i]);
        }
        filter.addAll(0, hashes, 0, keys.length, absent);
    }

    boolean contains(long key) {
        return filter.mightContain(0, Hashing.hash(key));
    }

    /** Looks keys up one by one. */
    void ask(long... keys) {
        for (long key : keys) {
            filter.mightContain(0, Hashing.hash(key));
        }
    }

    CascadeStatistics statistics() {
        return filter.statistics();
    }

    @Override
    public void settle() throws IOException {
        filter.flush();
        awaitMerges();
    }

    /** Waits for background work, without causing additional writes. */
    void awaitMerges() {
        for (int quiet = 0; quiet < QUIET_POLLS; quiet++) {
            LockSupport.parkNanos(POLL_NANOS);
            if (filter.statistics().mergesRunning() > 0) {
                quiet = 0;
            }
        }
    }

    @Override
    public long diskBytes() {
        return filter.statistics().diskBytes();
    }

    @Override
    public long bytesWritten() {
        CascadeStatistics statistics = filter.statistics();
        return statistics.flushedBytes() + statistics.mergedBytes();
    }

    @Override
    public void close() throws IOException {
        filter.close();
    }
}
