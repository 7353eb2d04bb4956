/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.LevelFile;

/**
 * From the keys of a set and a probability to bytes on disk. Pure functions.
 *
 * <p>They are for a set whose key groups are spread over any number of filters ({@link
 * CascadeOptionsBuilder#partOf}), and whose files are merged into one for each era and time bucket:
 * while merges are due, there are also copies and shorter files, see {@link MergePolicy}.
 */
public final class CascadeSizing {

    private CascadeSizing() {}

    /**
     * Bits that a key takes on disk, on average.
     *
     * @param fpp probability of a false positive, above 0 and below 1
     * @param capacity keys that the set was made for
     * @param keyGroups of the whole set, 1 to {@link CascadeOptions#MAX_KEY_GROUPS}
     * @param keys that it holds, at least 1
     * @param buckets of time that the keys are spread over evenly; 1 without a time-to-live
     * @throws IllegalArgumentException if there are not enough bits for these numbers
     */
    public static double bitsPerKey(
            double fpp, long capacity, int keyGroups, double keys, int buckets) {
        int parts = KeyGroupParts.finest(keyGroups).count();
        int divided = keyGroups * parts;
        Eras eras = new Eras(fpp, (double) capacity / divided);
        double bits = 0;
        double left = keys;
        for (int era = 0; left > 0; era++) {
            boolean isLast = era == eras.count() - 1;
            double held = isLast ? left : Math.min(left, (double) eras.capacity(era, divided));
            double values = divided * Math.scalb(1.0, eras.hashBits(era));
            bits += held * LevelFile.bitsPerEntry(values / held * buckets);
            left -= held;
        }
        return bits / keys;
    }
}
