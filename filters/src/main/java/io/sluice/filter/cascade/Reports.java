/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.Summary;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the background has to tell the owner: that there is another version, what went wrong, and
 * what it has made for lookups.
 *
 * <p>Thread-safe: background tasks report, the owner takes.
 */
final class Reports {

    /**
     * Whether the owner has to look: the version has changed, or something is reported. The only
     * field here that the owner reads in every operation.
     */
    private volatile boolean attention;

    private Throwable failure;
    private final Map<StoredFile, Summary> offered = new HashMap<>();

    /** Whether the overview that was built is complete; null if none was. */
    private Boolean overviewEnd;

    boolean needsAttention() {
        return attention;
    }

    void callAttention() {
        attention = true;
    }

    /** The owner is about to take everything, but perhaps not the failure, which still calls it. */
    synchronized void clearAttention() {
        attention = failure != null;
    }

    synchronized void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        } else if (failure != cause) {
            failure.addSuppressed(cause);
        }
        attention = true;
    }

    /** What failed in the background since the last call; null if nothing. */
    synchronized Throwable takeFailure() {
        Throwable failed = failure;
        failure = null;
        return failed;
    }

    /** A summary that was built, for the owner to install. */
    synchronized void offer(StoredFile file, Summary summary) {
        offered.put(file, summary);
        attention = true;
    }

    /** Summaries that were built since the last call. */
    synchronized Map<StoredFile, Summary> takeOffered() {
        Map<StoredFile, Summary> all = Map.copyOf(offered);
        offered.clear();
        return all;
    }

    /** The overview that was built has all that it was given, or was given up. */
    synchronized void endOverview(boolean isComplete) {
        overviewEnd = isComplete;
        attention = true;
    }

    /** What {@link #endOverview} has said since the last call. */
    synchronized Optional<Boolean> takeOverviewEnd() {
        Optional<Boolean> end = Optional.ofNullable(overviewEnd);
        overviewEnd = null;
        return end;
    }
}
