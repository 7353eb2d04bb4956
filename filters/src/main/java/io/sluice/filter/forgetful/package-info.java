/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The paper's forgetful Bloom filter and its controller, for comparison; jobs use {@link
 * io.sluice.filter.window}.
 *
 * <p>Source: Subramanyam, Gupta, Leslie, Wang, <i>Idempotent Distributed Counters Using a Forgetful
 * Bloom Filter</i>. Vocabulary: a <b>slice</b> is the set of ids inserted between two refreshes; it
 * lies in a plane of one array ({@link io.sluice.filter.plane}).
 *
 * <p>Reading order: {@link io.sluice.filter.forgetful.ForgetfulBloomFilter} (what is promised),
 * {@link io.sluice.filter.forgetful.SeenRule} (the paper's checks, corrected), {@code
 * ForgetfulSizing}, {@code OfferedIds} and {@code MeasuredFpp} (the probability), {@link
 * io.sluice.filter.forgetful.AdaptiveForgetfulFilter} and {@link
 * io.sluice.filter.forgetful.ResizePolicy} (the controller). The formulas are in {@link
 * io.sluice.filter.plane.FalsePositiveModel}.
 *
 * <p>Nothing here is thread-safe, except for what is immutable.
 */
package io.sluice.filter.forgetful;
