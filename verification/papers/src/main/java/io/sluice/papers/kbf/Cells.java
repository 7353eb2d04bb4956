/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import io.sluice.filter.hash.Hashing;

/**
 * Where the cells of a key are: k of them, each in a partition of its own, so that they differ.
 *
 * @param perProbe cells of a partition
 */
record Cells(int probes, int perProbe) {

    /** Cells by the paper's sizing: k = log2(1 / p), and k / (rho ln 2) cells a key. */
    static Cells of(double p, double rho, int keys) {
        double log = -Math.log(p) / Math.log(2);
        int probes = (int) Math.max(1, Math.round(log));
        return new Cells(probes, (int) Math.ceil(log / Math.log(2) / rho * keys / probes));
    }

    int all() {
        return probes * perProbe;
    }

    int position(long hash, int probe) {
        long mixed = Hashing.mix(hash + probe * 0x9E3779B97F4A7C15L);
        return probe * perProbe + (int) (((mixed >>> 32) * perProbe) >>> 32);
    }
}
