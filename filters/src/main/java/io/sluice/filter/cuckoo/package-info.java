/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The counting cuckoo filter: a multiset of hashes in which a hash takes one slot, whatever its
 * number of copies, and can be taken out again.
 *
 * <p>Source: Li, Luo, Guo, <i>Multiset Synchronization with Counting Cuckoo Filters</i>.
 * Vocabulary: a <b>bucket</b> is four slots; a <b>slot</b> holds a <b>fingerprint</b> of f bits and
 * a counter of c bits, or is empty; the <b>alternate</b> of a bucket is the other one that a
 * fingerprint may lie in; the <b>load</b> is the share of slots in use; a counter at its maximum is
 * <b>saturated</b>.
 *
 * <p>Reading order: {@link io.sluice.filter.cuckoo.CountingCuckooFilter} (what users see), {@code
 * CuckooBuckets} (where the bits lie), {@code Placement} and {@code KickSearch} (finding and making
 * room), {@link io.sluice.filter.cuckoo.CuckooSizing} (the formulas); then {@link
 * io.sluice.filter.cuckoo.sync}, which compares two multisets by their filters.
 */
package io.sluice.filter.cuckoo;
