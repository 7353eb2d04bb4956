/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A membership state of the cascade state backend.
 *
 * @param state name of the state
 * @param engine always {@value #ENGINE}
 * @param bytes of its level files, each counted once
 * @param files how many level files
 * @param keyGroups of all subtasks
 * @param falsePositiveProbability asked for
 * @param falsePositiveBound the greatest bound that is in force in a subtask
 * @param predictedFpp probability that a new key is reported as seen; mean of all key groups
 * @param timeToLiveMillis null if keys are kept for ever
 * @param entries keys, with copies that no merge has dropped yet, and removals
 * @param tombstones removals
 * @param bitsPerEntry on disk; null if there are none
 * @param watchedKeys that are also kept exactly
 * @param generations files by time bucket and bits of a hash, oldest first
 */
@Internal
public record CascadeReport(
        String state,
        String engine,
        long bytes,
        int files,
        int keyGroups,
        double falsePositiveProbability,
        double falsePositiveBound,
        double predictedFpp,
        @Nullable Long timeToLiveMillis,
        long entries,
        long tombstones,
        @Nullable Double bitsPerEntry,
        long watchedKeys,
        List<Generation> generations)
        implements StateReport {

    static final String ENGINE = "cascade";

    public CascadeReport {
        generations = List.copyOf(generations);
    }

    /**
     * Level files that may be merged.
     *
     * @param bucketEndMillis end of their time bucket; null if keys are kept for ever
     * @param hashBits bits of a hash that an entry keeps
     */
    public record Generation(
            @Nullable Long bucketEndMillis, int hashBits, int files, long entries, long bytes) {

        @Override
        public String toString() {
            return (bucketEndMillis == null ? "" : "until " + bucketEndMillis + ": ")
                    + entries
                    + " entries of "
                    + hashBits
                    + " bits in "
                    + files
                    + " files";
        }
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("engine", engine);
        facts.put("bytes", bytes);
        facts.put("files", files);
        facts.put("keyGroups", keyGroups);
        facts.put("falsePositiveProbability", falsePositiveProbability);
        facts.put("falsePositiveBound", falsePositiveBound);
        facts.put("predictedFpp", predictedFpp);
        facts.put("timeToLiveMillis", timeToLiveMillis);
        facts.put("entries", entries);
        facts.put("tombstones", tombstones);
        facts.put("bitsPerEntry", bitsPerEntry);
        facts.put("watchedKeys", watchedKeys);
        facts.put("generations", generations.size());
        facts.values().removeIf(value -> value == null);
        return facts;
    }
}
