/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * State that an operator of Sluice keeps by itself, one structure for each key group. What is null
 * is not known: the structures are not filters of ids, or there are none.
 *
 * @param state always {@value #STATE}
 * @param engine always {@value #ENGINE}
 * @param layout which operator wrote it, in which time domain
 * @param idTypes types of the ids, as the state names them
 * @param bytes in the checkpoint
 * @param files that have it; 0 if all of it is in the metadata
 * @param keyGroups in the state
 * @param keyGroupsWithIds those that have a structure
 * @param windowMillis the guaranteed window
 * @param falsePositiveProbability asked for
 * @param maxFalsePositiveProbability what it may rise to
 * @param expectedPerWindow ids of a key group in a window that filters were sized for
 * @param onOverflow what gives when memory is full
 * @param arrayLayouts how ids lie in the arrays
 * @param ids that are held
 * @param capacity ids that all arrays together were made for
 * @param fill ids over capacity
 * @param minGenerations slices that are held, of the key group with the fewest
 * @param maxGenerations the same of the one with the most
 * @param oldestMillis least timestamp of an id
 * @param newestMillis greatest timestamp of an id
 * @param clockMillis the earliest clock of a key group
 * @param coveredSinceMillis every id behind the clock is held since then
 * @param predictedFpp probability that a new id is reported as seen, by the number of ids; mean of
 *     all key groups with ids
 * @param maxPredictedFpp the same of the key group with the greatest
 * @param measuredFirsts new ids that were watched
 * @param measuredDropped how many of them were reported as seen
 * @param missedDuplicates duplicates in the window that passed; anything but 0 is a bug
 * @param overflows ids affected by the cap of the memory
 */
@Internal
public record FilterReport(
        String state,
        String engine,
        String layout,
        List<String> idTypes,
        long bytes,
        int files,
        int keyGroups,
        int keyGroupsWithIds,
        @Nullable Long windowMillis,
        @Nullable Double falsePositiveProbability,
        @Nullable Double maxFalsePositiveProbability,
        @Nullable Long expectedPerWindow,
        @Nullable String onOverflow,
        List<String> arrayLayouts,
        @Nullable Long ids,
        @Nullable Double capacity,
        @Nullable Double fill,
        @Nullable Integer minGenerations,
        @Nullable Integer maxGenerations,
        @Nullable Long oldestMillis,
        @Nullable Long newestMillis,
        @Nullable Long clockMillis,
        @Nullable Long coveredSinceMillis,
        @Nullable Double predictedFpp,
        @Nullable Double maxPredictedFpp,
        @Nullable Long measuredFirsts,
        @Nullable Long measuredDropped,
        @Nullable Long missedDuplicates,
        @Nullable Long overflows)
        implements StateReport {

    static final String STATE = "filters";
    static final String ENGINE = "operator";

    public FilterReport {
        idTypes = List.copyOf(idTypes);
        arrayLayouts = List.copyOf(arrayLayouts);
    }

    @Override
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("engine", engine);
        facts.put("layout", layout);
        facts.put("idTypes", String.join(", ", idTypes));
        facts.put("bytes", bytes);
        facts.put("files", files);
        facts.put("keyGroups", keyGroups);
        facts.put("keyGroupsWithIds", keyGroupsWithIds);
        facts.put("windowMillis", windowMillis);
        facts.put("falsePositiveProbability", falsePositiveProbability);
        facts.put("maxFalsePositiveProbability", maxFalsePositiveProbability);
        facts.put("expectedPerWindow", expectedPerWindow);
        facts.put("onOverflow", onOverflow);
        facts.put("arrayLayouts", String.join(", ", arrayLayouts));
        facts.put("ids", ids);
        facts.put("capacity", capacity);
        facts.put("fill", fill);
        facts.put("minGenerations", minGenerations);
        facts.put("maxGenerations", maxGenerations);
        facts.put("oldestMillis", oldestMillis);
        facts.put("newestMillis", newestMillis);
        facts.put("clockMillis", clockMillis);
        facts.put("coveredSinceMillis", coveredSinceMillis);
        facts.put("predictedFpp", predictedFpp);
        facts.put("maxPredictedFpp", maxPredictedFpp);
        facts.put("measuredFirsts", measuredFirsts);
        facts.put("measuredDropped", measuredDropped);
        facts.put("missedDuplicates", missedDuplicates);
        facts.put("overflows", overflows);
        facts.values().removeIf(value -> value == null || "".equals(value));
        return facts;
    }
}
