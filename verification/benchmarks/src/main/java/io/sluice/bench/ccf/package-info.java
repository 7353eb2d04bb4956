/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench ccf}: the evaluation of Li, Luo and Guo, <i>Multiset Synchronization with Counting
 * Cuckoo Filters</i>, with this library's filter, and its throughput.
 *
 * <p>Reading order: {@link io.sluice.bench.ccf.CcfCommand}; {@code OccupancyTable} and {@code
 * CollidedElements} (the filter alone); {@code MultisetPair}, {@code SyncTrial} and {@code
 * SyncAccuracy} (two sides), {@code CountingBloomFilter} (the paper's baseline), {@code SyncTimes};
 * {@code CcfRates} (throughput), {@link io.sluice.bench.ccf.CuckooStructure} (the filter as a
 * contender, for other comparisons too).
 */
package io.sluice.bench.ccf;
