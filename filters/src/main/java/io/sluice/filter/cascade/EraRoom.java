/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * Which era the next buffer belongs to, and how many entries that era still takes.
 *
 * @param hashBits bits of a hash that its entries keep
 * @param entries at least 0
 */
record EraRoom(int hashBits, long entries) {}
