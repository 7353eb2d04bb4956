/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.function.IntToLongFunction;

/**
 * Which era the next buffer belongs to, and how many entries that era still takes.
 *
 * @param hashBits bits of a hash that its entries keep
 * @param entries at least 0, of all key groups together
 * @param ofKeyGroup how many the key group takes that is the n-th of the filter's, from 0
 */
record EraRoom(int hashBits, long entries, IntToLongFunction ofKeyGroup) {}
