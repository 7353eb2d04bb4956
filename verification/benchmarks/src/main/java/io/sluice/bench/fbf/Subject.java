/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.papers.fbf.ForgetfulBloomFilter;
import io.sluice.papers.fbf.SeenRule;

/** A forgetful filter under measurement: insertions, refreshes, and one kind of lookup. */
interface Subject {
    void add(long hash);

    void refresh();

    boolean mightContain(long hash);

    /** Bits of one filter: the requested number, or that rounded up to cache lines. */
    int bits();

    /**
     * Makes a fresh subject with N past filters of {@code bits} bits and {@code hashes} positions.
     */
    @FunctionalInterface
    interface Factory {
        Subject create(int bits, int hashes, int past);
    }

    /** The filters as printed in the paper, looked up by {@code rule}. */
    static Factory plain(PlainFilters.Rule rule) {
        return (bits, hashes, past) -> {
            PlainFilters filters = new PlainFilters(bits, hashes, past);
            return new Subject() {
                @Override
                public void add(long hash) {
                    filters.add(hash);
                }

                @Override
                public void refresh() {
                    filters.refresh();
                }

                @Override
                public boolean mightContain(long hash) {
                    return filters.contains(hash, rule);
                }

                @Override
                public int bits() {
                    return bits;
                }
            };
        };
    }

    /** The filter of Sluice with the paper's check: future, neighbouring pairs, or the oldest. */
    static Factory sluicePaperRule() {
        return (bits, hashes, past) -> sluice(SeenRule.NEIGHBOUR_PAIRS, bits, hashes, past);
    }

    /** The filter of Sluice with its own check: every slice stored once. */
    static Factory sluiceSlicesRule() {
        return (bits, hashes, past) -> sluice(SeenRule.SLICES, bits, hashes, past);
    }

    private static Subject sluice(SeenRule rule, int bits, int hashes, int past) {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(past)
                        .rule(rule)
                        .scattered(bits, hashes)
                        .build();
        return new Subject() {
            @Override
            public void add(long hash) {
                filter.add(hash);
            }

            @Override
            public void refresh() {
                filter.refresh();
            }

            @Override
            public boolean mightContain(long hash) {
                return filter.mightContain(hash);
            }

            @Override
            public int bits() {
                return Math.toIntExact(filter.positions());
            }
        };
    }
}
