/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.peer.Keys;
import io.sluice.capture.SplitMix64;

/** A sequence of keys: the same for every structure. */
interface KeySource {

    /** The next keys. */
    void fill(long[] into);

    /** Keys 0, 1, 2, ... of {@link Keys#key}, each once. */
    static KeySource inOrder() {
        return new KeySource() {
            private long next;

            @Override
            public void fill(long[] into) {
                for (int i = 0; i < into.length; i++) {
                    into[i] = Keys.key(next++);
                }
            }
        };
    }

    /** Keys in order with duplicates in between; each earlier key is equally likely. */
    final class WithDuplicates implements KeySource {
        private final long threshold;
        private long next;
        private long asked;

        /**
         * @param share of the keys that are duplicates, in [0, 1)
         */
        WithDuplicates(double share) {
            threshold = (long) (share * 0x1p32);
        }

        @Override
        public void fill(long[] into) {
            for (int i = 0; i < into.length; i++) {
                long random = SplitMix64.mix(++asked * SplitMix64.GAMMA);
                boolean duplicate = (random >>> 32) < threshold && next > 0;
                into[i] =
                        Keys.key(
                                duplicate
                                        ? Math.multiplyHigh(SplitMix64.mix(random) >>> 1, 2 * next)
                                        : next++);
            }
        }

        /** Different keys so far. */
        long different() {
            return next;
        }
    }
}
