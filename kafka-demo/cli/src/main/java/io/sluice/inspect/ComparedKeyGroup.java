/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.flink.machine.StoredMachines;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * What a key group says, without its machines and the arrays of its filter.
 *
 * @param layout of the operator's state
 * @param identity what its ids are made of
 * @param options of the seen set, by name; empty if there is none
 * @param seen the ids that are known exactly; null if there is no seen set
 * @param machineIds how many ids its machines can tell apart; null if it has none that can be
 *     listed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record ComparedKeyGroup(
        String layout,
        byte[] identity,
        Map<String, String> options,
        @Nullable SampledIds seen,
        @Nullable Long machineIds) {

    static ComparedKeyGroup of(StoredKeyGroups.KeyGroup stored) {
        StoredDeduplicator deduplicator = stored.deduplicator();
        StoredMachines machines = stored.machines();
        return new ComparedKeyGroup(
                stored.header().layout(),
                stored.header().identity(),
                deduplicator == null ? Map.of() : options(deduplicator.filter().options()),
                deduplicator == null ? null : SampledIds.of(deduplicator),
                machines == null ? null : Long.valueOf(machines.ids()));
    }

    private static Map<String, String> options(WindowOptions options) {
        Map<String, String> named = new LinkedHashMap<>();
        named.put("windowMillis", String.valueOf(options.windowMillis()));
        named.put("falsePositiveProbability", String.valueOf(options.fpp()));
        named.put("maxFalsePositiveProbability", String.valueOf(options.maxFpp()));
        named.put("onOverflow", String.valueOf(options.overflow()));
        return named;
    }
}
