/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The paper's forgetful Bloom filter and its controller, for comparison; jobs use {@link
 * io.sluice.filter.window}.
 *
 * <p>Source: Subramanyam, Gupta, Leslie, Wang, <i>Idempotent Distributed Counters Using a Forgetful
 * Bloom Filter</i>. Vocabulary: a <b>slice</b> is the set of ids inserted between two refreshes; it
 * lies in a plane of one array ({@link io.sluice.filter.plane}).
 *
 * <p>Reading order: {@link io.sluice.papers.fbf.ForgetfulBloomFilter} (what is promised), {@link
 * io.sluice.papers.fbf.SeenRule} (the paper's checks, corrected), {@code ForgetfulSizing}, {@code
 * OfferedIds} and {@code MeasuredFpp} (the probability), {@link
 * io.sluice.papers.fbf.AdaptiveForgetfulFilter} and {@link io.sluice.papers.fbf.ResizePolicy} (the
 * controller). The formulas are in {@link io.sluice.filter.plane.FalsePositiveModel}.
 *
 * <p>Nothing here is thread-safe, except for what is immutable.
 */
package io.sluice.papers.fbf;
