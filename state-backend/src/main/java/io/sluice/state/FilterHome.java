/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;

/**
 * Where the filters of a subtask live: its local directory and its lease of the slot's memory and
 * threads. Both are taken when the first filter is made: a job without membership states takes
 * nothing.
 */
final class FilterHome implements Closeable {

    private final CascadeSettings settings;
    private final Environment env;
    private final String operator;
    private final double memoryFraction;
    private final MembershipMetrics metrics;

    @Nullable private LocalDirectories.Lease directory;
    @Nullable private OpaqueMemoryResource<SlotResources> lease;
    private int directories;

    /** What the write buffers of each state have taken, by name of the state. */
    private final Map<String, Long> bufferBytes = new HashMap<>();

    /**
     * @param operator name of the operator, for the directory's name
     * @param memoryFraction of the slot's managed memory that is the filters'
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

    SlotResources resources() throws IOException {
        if (lease == null) {
            lease = SlotResources.acquire(env, memoryFraction, settings);
        }
        return lease.getResourceHandle();
    }

    /** Bytes that a state's write buffers have of the slot's memory, until this is closed. */
    long bufferBytesOf(String state) throws IOException {
        Long known = bufferBytes.get(state);
        if (known == null) {
            known = resources().takeBuffers(settings.bufferBytes());
            bufferBytes.put(state, known);
        }
        return known;
    }

    /** A directory for a filter; each call gives another. */
    Path directoryOf(String state) throws IOException {
        if (directory == null) {
            directory = LocalDirectories.acquire(settings, env, operator);
        }
        String readable = state.replaceAll("[^a-zA-Z0-9\\-]", "_");
        // State names may be long, and alike but for characters that are replaced.
        String shortened = readable.substring(0, Math.min(readable.length(), 40));
        return directory.path().resolve(directories++ + "_" + shortened);
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        if (lease != null) {
            bufferBytes.values().forEach(lease.getResourceHandle()::giveBuffers);
            bufferBytes.clear();
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
