/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Filters that forget: they answer "did this id come within the window?" in constant memory.
 *
 * <p>Source: Subramanyam, Gupta, Leslie, Wang, <i>Idempotent Distributed Counters Using a Forgetful
 * Bloom Filter</i>. Vocabulary: a <b>slice</b> is the set of ids inserted between two rotations; a
 * <b>plane</b> is the part of an array that holds one slice: a bit of every position of bit-sliced
 * Bloom filters, or the entries with one tag in a table of fingerprints; a <b>generation</b> is
 * what a plane holds, of one age.
 *
 * <p>Reading order: {@link io.sluice.filter.forgetful.WindowedFilter} (what jobs use), {@code
 * FingerprintTable}, {@code AgedQuotientTable} and {@code SlicedArray} (the layouts), {@link
 * io.sluice.filter.forgetful.ForgetfulBloomFilter} (the paper's structure), {@link
 * io.sluice.filter.forgetful.FalsePositiveModel} (the formulas).
 *
 * <p>Nothing here is thread-safe: check-and-insert, rotation and resizing are atomic with respect
 * to each other because one thread does them. A snapshot that was pinned ({@link
 * io.sluice.filter.forgetful.WindowedFilterSnapshot}) may be written by another.
 */
package io.sluice.filter.forgetful;
