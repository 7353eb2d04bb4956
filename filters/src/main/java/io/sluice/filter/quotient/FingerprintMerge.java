/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.merge.SortedCursor;
import io.sluice.filter.merge.TournamentMerge;
import java.util.List;

/**
 * Merges cursors over fingerprints of equal length into one (Bender et al., section 2; {@link
 * TournamentMerge}). Inputs may divide their fingerprints into quotient and remainder as they like.
 *
 * <p>Cost: O(log k) for a fingerprint and k inputs; 24 KiB for each of them.
 */
final class FingerprintMerge {

    private FingerprintMerge() {}

    /** All fingerprints of all inputs, with all their copies: the sum of multisets. */
    public static FingerprintCursor sum(List<? extends FingerprintCursor> inputs) {
        if (inputs.isEmpty()) {
            throw new IllegalArgumentException("inputs must not be empty");
        }
        int bits = inputs.get(0).fingerprintBits();
        for (FingerprintCursor input : inputs) {
            if (input.fingerprintBits() != bits) {
                throw new IllegalArgumentException(
                        "inputs must have fingerprints of equal length, got "
                                + bits
                                + " and "
                                + input.fingerprintBits()
                                + " bits: only filters of one family can be merged");
            }
        }
        return new Merged(TournamentMerge.all(inputs), bits);
    }

    /** The fingerprints of all inputs, each once: the union of sets. */
    public static FingerprintCursor union(List<? extends FingerprintCursor> inputs) {
        return new Distinct(sum(inputs));
    }

    /** The merged fingerprints of inputs. */
    private record Merged(SortedCursor<RuntimeException> merged, int fingerprintBits)
            implements FingerprintCursor {

        @Override
        public int next(long[] into) {
            return merged.next(into);
        }

        @Override
        public int batchLength() {
            return merged.batchLength();
        }
    }

    /** Leaves out copies. */
    private static final class Distinct implements FingerprintCursor {
        private final FingerprintCursor input;
        private long last = -1;

        private Distinct(FingerprintCursor input) {
            this.input = input;
        }

        @Override
        public int next(long[] into) {
            int at = 0;
            while (at == 0) {
                int read = input.next(into);
                if (read == 0) {
                    return 0;
                }
                for (int i = 0; i < read; i++) {
                    long fingerprint = into[i];
                    into[at] = fingerprint;
                    // Overwritten by the next one if it was a copy; 1 if not, as both are >= -1.
                    at += (int) ((last - fingerprint) >>> 63);
                    last = fingerprint;
                }
            }
            return at;
        }

        @Override
        public int fingerprintBits() {
            return input.fingerprintBits();
        }
    }
}
