/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.storage.Directory;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** The cascade filter, one key group. It hashes its keys itself, within the time. */
final class CascadeSet implements DiskSet {
    private static final long POLL_NANOS = 1_000_000;

    /** For a moment between the end of one merge and the beginning of the next, none runs. */
    private static final int QUIET_POLLS = 50;

    private final String id;
    private final String name;
    private final CascadeFilter filter;
    private long[] hashes = new long[0];
    private boolean[] absent = new boolean[0];

    /** Opens the filter in {@code directory}. */
    CascadeSet(String id, String name, Directory directory, CascadeOptions options)
            throws IOException {
        this.id = id;
        this.name = name;
        this.filter = CascadeFilter.open(directory, options);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void add(long[] keys, int from, int to) {
        for (int i = from; i < to; i++) {
            filter.insert(0, Hashing.hash(keys[i]));
        }
    }

    @Override
    public int addIfAbsent(long[] keys, int from, int to) {
        int added = 0;
        for (int i = from; i < to; i++) {
            added += filter.add(0, Hashing.hash(keys[i])) ? 1 : 0;
        }
        return added;
    }

    /** {@link #addIfAbsent} by one call of the filter. */
    int addAll(long[] keys, int from, int to) {
        int count = to - from;
        if (hashes.length < count) {
            hashes = new long[count];
            absent = new boolean[count];
        }
        for (int i = 0; i < count; i++) {
            hashes[i] = Hashing.hash(keys[from + i]);
        }
        return filter.addAll(0, hashes, 0, count, absent);
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(0, Hashing.hash(key));
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
