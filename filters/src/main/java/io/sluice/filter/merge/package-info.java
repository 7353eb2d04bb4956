/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Merges of ascending numbers: {@link io.sluice.filter.merge.SortedCursor} (an input), {@link
 * io.sluice.filter.merge.TournamentMerge} (one of several). What the numbers mean is up to those
 * who merge: the entries of a cascade's files, the fingerprints of quotient filters.
 */
package io.sluice.filter.merge;
