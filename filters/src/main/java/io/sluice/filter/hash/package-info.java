/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Hashes ids to 64 bits, once each, with {@link io.sluice.filter.hash.Hashing} or, where strangers
 * choose the ids, with {@link io.sluice.filter.hash.SeededHashing}. Every format records the id of
 * the algorithm, so a filter is never read with the hashes of another.
 */
package io.sluice.filter.hash;
