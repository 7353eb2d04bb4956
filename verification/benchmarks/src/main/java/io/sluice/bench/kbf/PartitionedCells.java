/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.capture.SplitMix64;

/**
 * The positions of a key's k cells: one in each of k partitions, so that they differ. For the
 * rivals, with their own hash function.
 *
 * @param probes k
 * @param perProbe cells of a partition
 */
record PartitionedCells(int probes, int perProbe) {

    static PartitionedCells of(double cellsPerKey, int probes, int keys) {
        return new PartitionedCells(probes, (int) Math.ceil(cellsPerKey * keys / probes));
    }

    int cells() {
        return probes * perProbe;
    }

    int position(long hash, int probe) {
        long mixed = SplitMix64.mix(hash + probe * SplitMix64.GAMMA);
        return probe * perProbe + (int) (((mixed >>> 32) * perProbe) >>> 32);
    }
}
