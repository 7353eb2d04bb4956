/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.overload;

import io.sluice.capture.traffic.SplitMix64;
import io.sluice.filter.FilterFullException;
import java.util.BitSet;

/**
 * One contender at one rate. New ids come evenly; one record in ten repeats an id whose first
 * occurrence is less than a window ago, each equally likely. Ids are numbered, so the truth is one
 * bit per id: whether its first occurrence was let through.
 */
final class OverloadRun {
    private static final int WARM_UP_WINDOWS = 2;
    private static final int WINDOWS = 3;
    private static final int RECORDS_A_DUPLICATE = 10;

    private final long windowMillis;
    private final double idsPerMilli;
    private final long seed;

    OverloadRun(long windowMillis, double idsPerMilli, long seed) {
        this.windowMillis = windowMillis;
        this.idsPerMilli = idsPerMilli;
        this.seed = seed;
    }

    /**
     * What was counted after the filter had filled.
     *
     * @param dropped new ids that were taken for duplicates
     * @param duplicates of the window, whose first occurrence was let through
     * @param passed duplicates that were taken for new
     * @param coveredMillis at the end
     * @param failedAfterMillis when the policy ended the run; -1 if it did not
     */
    record Result(
            long firsts,
            long dropped,
            long duplicates,
            long passed,
            long coveredMillis,
            long failedAfterMillis) {
        double droppedShare() {
            return firsts == 0 ? 0 : (double) dropped / firsts;
        }

        double passedShare() {
            return duplicates == 0 ? 0 : (double) passed / duplicates;
        }
    }

    Result run(Candidate.Window window) {
        long counted = (long) (WARM_UP_WINDOWS * windowMillis * idsPerMilli);
        long end = (long) ((WARM_UP_WINDOWS + WINDOWS) * windowMillis * idsPerMilli);
        long dropped = 0;
        long duplicates = 0;
        long passed = 0;
        long id = 0;
        long time = 0;
        BitSet through = new BitSet();
        try {
            for (long record = 0; id < end; record++) {
                time = (long) (id / idsPerMilli);
                if (record % RECORDS_A_DUPLICATE == 0 && id > 0) {
                    long earlier = earlier(id, time, record);
                    boolean added = window.add(hash(earlier), time);
                    if (id >= counted && through.get((int) earlier)) {
                        duplicates++;
                        passed += added ? 1 : 0;
                    }
                } else {
                    boolean added = window.add(hash(id), time);
                    dropped += !added && id >= counted ? 1 : 0;
                    through.set((int) id, added);
                    id++;
                }
            }
        } catch (FilterFullException full) {
            return new Result(
                    Math.max(0, id - counted), dropped, duplicates, passed, windowMillis, time);
        }
        return new Result(end - counted, dropped, duplicates, passed, window.coveredMillis(), -1);
    }

    /** One of the ids that came less than a window before {@code time}. */
    private long earlier(long id, long time, long record) {
        long oldest = (long) Math.ceil(Math.max(0, time - windowMillis + 1) * idsPerMilli);
        return oldest
                + Math.floorMod(
                        SplitMix64.mix(seed - record * SplitMix64.GAMMA), Math.max(1, id - oldest));
    }

    private long hash(long id) {
        return SplitMix64.mix(seed + id * SplitMix64.GAMMA);
    }
}
