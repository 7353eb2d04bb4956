/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.qf;

import io.sluice.filter.quotient.FingerprintCursor;
import io.sluice.filter.quotient.QuotientFilter;

/**
 * Where fingerprints lie: in the slots of the paper's layout (each at the slot of its quotient or
 * behind its predecessor), and in blocks of 48. Both follow from the sorted quotients, so only the
 * filter's cursor is needed.
 */
final class ClusterPicture {
    private static final int BLOCK = 48;

    private final int remainderBits;
    private final long slots;

    private long count;
    private long clusters;
    private long superclusters;
    private long runs;
    private long runsOfOne;
    private double clusterSquares;
    private double shifts;
    private double freeDistances;

    private long lastPlace = -1;
    private long lastQuotient = -1;
    private long clusterLength;
    private long superclusterLength;
    private long runLength;

    private long blockPlace = -1;
    private long spilled;
    private long lastFull = -2;
    private long fullChain;
    private double fullBlocks;

    private ClusterPicture(QuotientFilter filter) {
        this.remainderBits = filter.remainderBits();
        this.slots = 1L << filter.quotientBits();
    }

    static ClusterPicture of(QuotientFilter filter) {
        ClusterPicture picture = new ClusterPicture(filter);
        FingerprintCursor cursor = filter.cursor();
        long[] batch = new long[1024];
        for (int n = cursor.next(batch, 0, batch.length);
                n > 0;
                n = cursor.next(batch, 0, batch.length)) {
            for (int i = 0; i < n; i++) {
                picture.add(batch[i] >>> picture.remainderBits);
            }
        }
        picture.endRun();
        picture.endCluster();
        picture.endSupercluster();
        return picture;
    }

    private void add(long quotient) {
        count++;
        if (quotient != lastQuotient) {
            endRun();
            runs++;
        }
        runLength++;
        long place = Math.max(lastPlace + 1, quotient);
        if (place > lastPlace + 1) {
            endSupercluster();
        }
        if (place == quotient && quotient != lastQuotient) {
            endCluster();
            clusters++;
        }
        clusterLength++;
        superclusterLength++;
        shifts += place - quotient;
        lastPlace = place;
        lastQuotient = quotient;
        inBlocks(quotient);
    }

    private void inBlocks(long quotient) {
        long home = quotient / BLOCK;
        blockPlace = Math.max(blockPlace + 1, home * BLOCK);
        long block = blockPlace / BLOCK;
        if (block != home) {
            spilled++;
        }
        if (blockPlace % BLOCK == BLOCK - 1) {
            // In a chain of c full blocks, an insertion passes c, c - 1, ... of them, depending on
            // its home.
            fullChain = block == lastFull + 1 ? fullChain + 1 : 1;
            lastFull = block;
            fullBlocks += fullChain;
        }
    }

    private void endRun() {
        runsOfOne += runLength == 1 ? 1 : 0;
        runLength = 0;
    }

    private void endCluster() {
        clusterSquares += (double) clusterLength * clusterLength;
        clusterLength = 0;
    }

    /** From a random slot of a stretch of s the next free one is (s + 1) / 2 away on average. */
    private void endSupercluster() {
        if (superclusterLength > 0) {
            superclusters++;
            freeDistances += superclusterLength * (superclusterLength + 1.0) / 2;
            superclusterLength = 0;
        }
    }

    /** The columns of the reference table that do not depend on how a search walks. */
    enum Column {
        MEAN_CLUSTER("mean_cluster"),
        SIZE_BIASED("sizebiased_cluster"),
        MEAN_SUPERCLUSTER("mean_supercluster"),
        MEAN_RUN("mean_run"),
        MEAN_SHIFT("mean_shift"),
        RUNS_OF_ONE("frac_slots_run_len1");

        final String word;

        Column(String word) {
            this.word = word;
        }
    }

    double value(Column column) {
        return switch (column) {
            case MEAN_CLUSTER -> (double) count / clusters;
            case SIZE_BIASED -> clusterSquares / count;
            case MEAN_SUPERCLUSTER -> (double) count / superclusters;
            case MEAN_RUN -> (double) count / runs;
            case MEAN_SHIFT -> shifts / count;
            case RUNS_OF_ONE -> (double) runsOfOne / runs;
        };
    }

    /** Slots from a random quotient's to the next free one, in the paper's layout. */
    double slotsToFree() {
        return freeDistances / slots;
    }

    /** Share of fingerprints in a later block than their quotient's. */
    double spilledShare() {
        return (double) spilled / count;
    }

    /** Full blocks through which an insertion passes a remainder, from a random home. */
    double fullBlocks() {
        return fullBlocks * BLOCK / slots;
    }
}
