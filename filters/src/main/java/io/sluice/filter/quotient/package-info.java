/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The quotient filter: a set or multiset of fingerprints that are kept in order, so that filters
 * can be merged, resized and streamed to disk without the keys.
 *
 * <p>Source: Bender et al., <i>Don't Thrash: How to Cache Your Hash on Flash</i> (section 2); the
 * metadata with one bit per quotient and one per slot is that of Pandey et al., <i>A
 * General-Purpose Counting Filter: Making Every Bit Count</i> (2017, section 3).
 *
 * <p>Vocabulary: a <b>fingerprint</b> is the p highest bits of a mixed hash; its high part is the
 * <b>quotient</b>, which says where it belongs, its low part the <b>remainder</b>, which is stored.
 * A <b>run</b> is all remainders of one quotient, in ascending order. A <b>block</b> is {@value
 * io.sluice.filter.quotient.Blocks#SLOTS} slots with their metadata, and home to the same number of
 * quotients. What a full block has no room for <b>spills</b> into the next.
 *
 * <p>Reading order: {@link io.sluice.filter.quotient.QuotientFilter} (what is promised), {@link
 * io.sluice.filter.quotient.QuotientSizing} (how large, how wrong), {@code Blocks} (the layout and
 * its picture), {@code BlockSearch}, {@code BlockTable} (insertion, removal), {@link
 * io.sluice.filter.quotient.FingerprintCursor}, {@code FingerprintMerge} and {@link
 * io.sluice.filter.quotient.QuotientMerge} (order), {@code BlockAppender} (building in bulk),
 * {@code Growth} (when it is full).
 */
package io.sluice.filter.quotient;
