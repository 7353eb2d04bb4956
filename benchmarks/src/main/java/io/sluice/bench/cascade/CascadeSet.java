/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeStatistics;
import io.sluice.filter.storage.Directory;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** The cascade filter, one key group. */
final class CascadeSet implements DiskSet {
    private static final long POLL_NANOS = 1_000_000;

    /** For a moment between the end of one merge and the beginning of the next, none runs. */
    private static final int QUIET_POLLS = 50;

    private final String id;
    private final String name;
    private final CascadeFilter filter;
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
            filter.insert(0, keys[i]);
        }
    }

    @Override
    public int addIfAbsent(long[] keys, int from, int to) {
        int added = 0;
        for (int i = from; i < to; i++) {
            added += filter.add(0, keys[i]) ? 1 : 0;
        }
        return added;
    }

    /** {@link #addIfAbsent} by one call of the filter. */
    int addAll(long[] keys, int from, int to) {
        if (absent.length < to) {
            absent = new boolean[to];
        }
        return filter.addAll(0, keys, from, to - from, absent);
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(0, key);
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
