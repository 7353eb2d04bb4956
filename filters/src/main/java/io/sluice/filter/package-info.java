/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Approximate-membership structures for streams. A structure takes 64-bit hashes, made once by
 * {@link io.sluice.filter.hash.Hashing}; it never denies what it holds, and reports what it does
 * not hold with a stated probability.
 *
 * <p>Reading order: {@link io.sluice.filter.MembershipFilter} (the contract), {@link
 * io.sluice.filter.FilterSizing} (how many bits a key costs), the narrower contracts beside it
 * ({@link io.sluice.filter.RemovableFilter}, {@link io.sluice.filter.CountingFilter}, {@link
 * io.sluice.filter.KeyValueFilter}), {@code forgetful} (filters that forget what is older than a
 * window, over the arrays of {@code plane}), {@code cascade} (filters on disk), {@code quotient}
 * (ordered fingerprints), {@code cuckoo} (counts, and synchronising two multisets), {@code
 * rateless} (the difference of two multisets from coded symbols), {@code keyvalue} (values instead
 * of membership), {@code memory} (where their bits lie), {@code format} (how they are written
 * down), {@link io.sluice.filter.MeasuredError} (what an exact sample says about them).
 *
 * <p><b>Threads.</b> A structure belongs to one thread at a time. Methods that look up one hash
 * ({@code mightContain}, {@code count}, {@code query}) change nothing, so any number of threads may
 * call them while none changes the structure, if it was handed over safely (as a {@code final}
 * field or through a queue, for example). Batches ({@code mightContainAll} and the like) use
 * scratch space of the structure and need it for themselves, as do methods that change, write,
 * measure or close it. {@link io.sluice.filter.cascade.CascadeFilter} merges in threads of its own
 * and is still used by one thread at a time, for lookups too.
 *
 * <p><b>Memory</b> on the heap is the collector's. Memory off the heap ({@link
 * io.sluice.filter.memory.Storage#OFF_HEAP}) is freed by {@code close}, at once, and otherwise when
 * the collector finds the structure. {@code copy} makes an independent structure; {@link
 * io.sluice.filter.quotient.QuotientMerge}, {@link io.sluice.filter.cuckoo.CuckooMerge} and {@link
 * io.sluice.filter.keyvalue.KeyValueBloomFilter#merge} make one of several. A filter with a window
 * cannot be merged: its slices have times of their own. To copy it, write it and read it again.
 */
package io.sluice.filter;
