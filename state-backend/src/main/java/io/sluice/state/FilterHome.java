/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the filters of a subtask live: its local directory and its lease on the slot's memory and
 * threads. Both are taken when the first filter is made, so a job without membership states takes
 * neither.
 *
 * <p>A checkpoint that is still being written when the task ends needs its filter's files and
 * memory. So both are returned when this is closed <em>and</em> its last tenant has left.
 * Thread-safe.
 */
final class FilterHome implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(FilterHome.class);

    private final CascadeSettings settings;
    private final Environment env;
    private final String operator;
    private final double memoryFraction;
    private final MembershipMetrics metrics;

    @Nullable private LocalDirectories.Lease directory;
    @Nullable private OpaqueMemoryResource<SlotResources> lease;
    private int directories;
    private int tenants;
    private boolean closed;

    /**
     * @param operator name of the operator, for the directory's name
     * @param memoryFraction the filters' share of the slot's managed memory
     */
    FilterHome(
            CascadeSettings settings,
            Environment env,
            String operator,
            double memoryFraction,
            MembershipMetrics metrics) {
        this.settings = settings;
        this.env = env;
        this.operator = operator;
        this.memoryFraction = memoryFraction;
        this.metrics = metrics;
    }

    MembershipMetrics metrics() {
        return metrics;
    }

    synchronized SlotResources resources() throws IOException {
        if (lease == null) {
            lease = SlotResources.acquire(env, memoryFraction, settings);
        }
        return lease.getResourceHandle();
    }

    /** A filter's lease, with memory for its write buffers. */
    final class Tenancy implements Closeable {
        private final SlotResources slot;
        private final long bufferBytes;
        private boolean ended;

        private Tenancy(SlotResources slot, long bufferBytes) {
            this.slot = slot;
            this.bufferBytes = bufferBytes;
        }

        /** Bytes of the slot's memory that the filter's write buffers have. */
        long bufferBytes() {
            return bufferBytes;
        }

        SlotResources slot() {
            return slot;
        }

        /**
         * Must be called when the filter and everything that was pinned of it are closed.
         * Idempotent.
         */
        @Override
        public void close() {
            synchronized (FilterHome.this) {
                if (!ended) {
                    ended = true;
                    slot.giveBuffers(bufferBytes);
                    tenants--;
                    try {
                        leaveIfEmpty();
                    } catch (IOException e) {
                        LOG.warn(
                                "The home of the filters of {} was not left properly.",
                                operator,
                                e);
                    }
                }
            }
        }
    }

    /**
     * Admits a filter.
     *
     * @param state whose filter it is
     * @param leastBytes the minimum for its write buffers
     * @throws IOException if the slot has no memory for them
     */
    synchronized Tenancy moveIn(String state, long leastBytes) throws IOException {
        SlotResources slot = resources();
        long bytes = slot.takeBuffers(Math.max(settings.bufferBytes(), leastBytes), leastBytes);
        if (bytes == 0) {
            throw new IOException(
                    "State '"
                            + state
                            + "' of "
                            + operator
                            + " finds no memory for write buffers: the states of this slot that"
                            + " are kept in filters have taken what there is. Give the slot more"
                            + " managed memory, raise "
                            + CascadeBackendOptions.MEMORY_FRACTION.key()
                            + ", or name fewer states in "
                            + CascadeBackendOptions.STATES.key()
                            + '.');
        }
        tenants++;
        return new Tenancy(slot, bytes);
    }

    /** A directory for a filter; each call returns a new one. */
    synchronized Path directoryOf(String state) throws IOException {
        if (directory == null) {
            directory = LocalDirectories.acquire(settings, env, operator);
        }
        String readable = state.replaceAll("[^a-zA-Z0-9\\-]", "_");
        // State names may be long, and may differ only in characters that are replaced.
        String shortened = readable.substring(0, Math.min(readable.length(), 40));
        return directory.path().resolve(directories++ + "_" + shortened);
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        leaveIfEmpty();
    }

    private void leaveIfEmpty() throws IOException {
        if (!closed || tenants > 0) {
            return;
        }
        IOException failure = null;
        if (lease != null) {
            try {
                lease.close();
            } catch (Exception e) {
                failure =
                        new IOException("The memory of the slot's filters was not given back.", e);
            }
            lease = null;
        }
        if (directory != null) {
            try {
                directory.close();
            } catch (IOException e) {
                if (failure != null) {
                    e.addSuppressed(failure);
                }
                failure = e;
            }
            directory = null;
        }
        if (failure != null) {
            throw failure;
        }
    }
}
