/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Which level files are in which checkpoint, so that the next one need not upload them again.
 *
 * <p>Only files that a <em>completed</em> checkpoint holds are reused: files of any other may be
 * deleted at any time. And not even all of these: if a later checkpoint has uploaded a file again,
 * because it began before the completion was known, then the JobManager keeps the later copy and
 * deletes the earlier one as soon as the later checkpoint completes, which may be before the next
 * one arrives. A checkpoint under way that has not yet said what it uploads is taken to upload
 * everything that it could not reuse.
 *
 * <p>A file that the filter has merged into another since may stand in for it, but a checkpoint
 * that does without the file lets the JobManager delete it. So only those stand in that all later
 * checkpoints have reused, and none while another checkpoint is under way.
 *
 * <p>Thread-safe: checkpoints are recorded by the threads that upload, and confirmed by the task's.
 */
@Internal
public final class UploadedFiles {

    /**
     * A file in a checkpoint.
     *
     * @param handle the file itself, never a placeholder
     * @param crc32c of the whole file
     */
    public record Held(StreamStateHandle handle, int crc32c) {}

    /**
     * What a checkpoint holds.
     *
     * @param files by name
     * @param used the files that it took from an earlier one
     */
    private record Checkpoint(Map<String, Held> files, Map<String, Held> used) {}

    /**
     * What a checkpoint may use of earlier ones.
     *
     * @param files by name
     * @param mayStandIn whether these may also stand in for files that were merged from them
     */
    public record Reusable(Map<String, Held> files, boolean mayStandIn) {

        static final Reusable NONE = new Reusable(Map.of(), false);
    }

    private final SortedMap<Long, Checkpoint> checkpoints = new TreeMap<>();

    /** Checkpoints under way, with what they may reuse. */
    private final SortedMap<Long, Map<String, Held>> underWay = new TreeMap<>();

    private long lastCompleted = -1;

    /** Records the files of a restored checkpoint, which counts as completed. */
    public synchronized void restored(long checkpointId, Map<String, Held> files) {
        Map<String, Held> all = new HashMap<>(files);
        Checkpoint known = checkpoints.get(checkpointId);
        if (known != null) {
            all.putAll(known.files());
        }
        checkpoints.put(checkpointId, new Checkpoint(Map.copyOf(all), Map.of()));
        lastCompleted = Math.max(lastCompleted, checkpointId);
    }

    /**
     * A checkpoint begins, whose files later ones may use.
     *
     * @param mayReuse whether it may use files of earlier ones itself
     * @return the files that it may use
     */
    public synchronized Reusable begin(long checkpointId, boolean mayReuse) {
        boolean isAlone = underWay.tailMap(lastCompleted + 1).isEmpty();
        Map<String, Held> reusable = mayReuse ? reusable() : Map.of();
        underWay.put(checkpointId, reusable);
        return new Reusable(reusable, isAlone);
    }

    private Map<String, Held> reusable() {
        Checkpoint base = checkpoints.get(lastCompleted);
        if (base == null) {
            return Map.of();
        }
        Map<String, Held> reusable = new HashMap<>(base.files());
        for (Checkpoint later : checkpoints.tailMap(lastCompleted + 1).values()) {
            reusable.entrySet().retainAll(later.used().entrySet());
        }
        underWay.tailMap(lastCompleted + 1)
                .values()
                .forEach(used -> reusable.entrySet().retainAll(used.entrySet()));
        return Map.copyOf(reusable);
    }

    /** A checkpoint has uploaded everything. */
    public synchronized void uploaded(
            long checkpointId, Map<String, Held> files, Map<String, Held> used) {
        underWay.remove(checkpointId);
        checkpoints.put(checkpointId, new Checkpoint(Map.copyOf(files), Map.copyOf(used)));
    }

    /** A checkpoint has failed before it had uploaded everything. */
    public synchronized void failed(long checkpointId) {
        underWay.remove(checkpointId);
    }

    /**
     * A checkpoint is complete. An unknown number belongs to a savepoint or to an older checkpoint.
     */
    public synchronized void completed(long checkpointId) {
        if (checkpointId > lastCompleted && checkpoints.containsKey(checkpointId)) {
            checkpoints.headMap(checkpointId).clear();
            lastCompleted = checkpointId;
        }
    }

    /** A checkpoint will not complete: its files may be deleted. */
    public synchronized void aborted(long checkpointId) {
        if (checkpointId != lastCompleted) {
            checkpoints.remove(checkpointId);
        }
    }
}
