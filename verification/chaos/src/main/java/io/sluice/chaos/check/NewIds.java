/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import io.sluice.demo.PoissonBound;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ids that are new, and how many of them may be missing: as many as a filter drops by its
 * probability, in the whole run and in each second of it. What is lost, is lost together; what a
 * filter drops, is not. Not thread-safe.
 */
final class NewIds {
    private static final long SLICE_MILLIS = 1000;

    private final Map<Long, Slice> slices = new TreeMap<>();
    private long count;
    private long missing;

    /** A second. */
    private static final class Slice {
        long firsts;
        final List<String> missing = new ArrayList<>();
    }

    /** A new id of this time came out. */
    void passed(long time) {
        slice(time);
    }

    /** A new id of this time did not. */
    void missing(long time, String id) {
        slice(time).missing.add(id);
        missing++;
    }

    private Slice slice(long time) {
        count++;
        Slice slice =
                slices.computeIfAbsent(Math.floorDiv(time, SLICE_MILLIS), second -> new Slice());
        slice.firsts++;
        return slice;
    }

    /**
     * Judges, when all was taken.
     *
     * @param probability with which a new id is dropped
     * @param rule that is broken if more are missing
     */
    void judge(double probability, String rule, CheckResult verdict) {
        long bound = PoissonBound.upper(count * probability, CheckResult.UNLIKELY);
        verdict.number("dropped", missing);
        verdict.number("droppedAtMost", bound);
        if (count == 0) {
            verdict.broken("nothing was sent that has to come out", "0 records");
        }
        if (missing > bound) {
            slices.values().forEach(slice -> slice.missing.forEach(id -> verdict.broken(rule, id)));
            return;
        }
        double unlikely = CheckResult.UNLIKELY / Math.max(1, slices.size());
        for (Slice slice : slices.values()) {
            if (slice.missing.size() > PoissonBound.upper(slice.firsts * probability, unlikely)) {
                slice.missing.forEach(id -> verdict.broken(rule + ", in one second", id));
            }
        }
    }
}
