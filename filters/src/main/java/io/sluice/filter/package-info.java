/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Approximate-membership structures for streams. A structure takes 64-bit hashes, made once by
 * {@link io.sluice.filter.hash.Hashing}; it never denies what it holds, and reports what it does
 * not hold with a stated probability.
 *
 * <p>Reading order: {@link io.sluice.filter.MembershipFilter} (the contract), {@link
 * io.sluice.filter.FilterSizing} (how many bits a key costs), the narrower contracts beside it
 * ({@link io.sluice.filter.RemovableFilter}, {@link io.sluice.filter.CountingFilter}, {@link
 * io.sluice.filter.KeyValueFilter}), {@code forgetful} (filters with a window), {@code quotient}
 * (ordered fingerprints), {@code cuckoo} (counts, and synchronising two multisets), {@code
 * keyvalue} (values instead of membership), {@code memory} (where their bits lie), {@code format}
 * (how they are written down), {@link io.sluice.filter.MeasuredError} (what an exact sample says
 * about them).
 */
package io.sluice.filter;
