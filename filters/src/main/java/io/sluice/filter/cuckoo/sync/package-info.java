/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Two sides find out how their multisets differ by exchanging filters instead of elements, and both
 * end with the union, every element at its greater multiplicity.
 *
 * <p>Source: Li, Luo, Guo, <i>Multiset Synchronization with Counting Cuckoo Filters</i>, sections 4
 * and 5. Vocabulary: the <b>root set</b> is a side's multiset itself; a <b>digest</b> is the
 * summary that it sends; <b>D_c</b> are the elements that the peer lacks, <b>D_m</b> those of which
 * it has fewer copies.
 *
 * <p>One round, on each side (pure functions: sending and storing are the caller's):
 *
 * <pre>
 *   MultisetDigest mine = MultisetDigest.of(set, shape, Collisions.SEPARATE, seed);  // send it
 *   MultisetDigest theirs = MultisetDigest.readFrom(in, "peer");
 *   MultisetDifference difference = MultisetDifference.byQuery(set, theirs);
 *   // send difference.missing(), fewer() and undecided(); take the greater of what arrives
 * </pre>
 *
 * and another round with another seed while {@link
 * io.sluice.filter.cuckoo.sync.MultisetDigest#tellsTheSameSetAs} says no.
 *
 * <p>Reading order: {@link io.sluice.filter.cuckoo.sync.MultisetDigest}, {@link
 * io.sluice.filter.cuckoo.sync.MultisetDifference}, {@code QueryMethod}, {@code DecodingMethod}.
 */
package io.sluice.filter.cuckoo.sync;
