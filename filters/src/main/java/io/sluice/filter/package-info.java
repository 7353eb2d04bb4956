/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Filters that remember which ids a stream has had, in a few bits for each. A filter takes 64-bit
 * hashes, which {@link io.sluice.filter.hash.Hashing} makes once per id. It never denies an id that
 * it holds, and takes another for one that it holds with a stated probability.
 *
 * <p><b>Who may use what.</b> Public types and members are for users, unless they are marked {@link
 * io.sluice.filter.annotation.Internal}.
 *
 * <p><b>Which filter.</b> This package has the contracts that they share: {@link
 * io.sluice.filter.MembershipFilter}, {@link io.sluice.filter.RemovableFilter}, {@link
 * io.sluice.filter.CountingFilter} and {@link io.sluice.filter.KeyValueFilter}.
 *
 * <ul>
 *   <li>{@link io.sluice.filter.seen} takes ids of any type: begin there.
 *   <li>{@link io.sluice.filter.forgetful} holds the ids of a window in memory, and forgets older
 *       ones. Its arrays are in {@link io.sluice.filter.plane}.
 *   <li>{@link io.sluice.filter.cascade} holds billions of ids on a local disk, for ever or for a
 *       time.
 *   <li>{@link io.sluice.filter.quotient} holds a set or multiset in order, to be merged, resized
 *       and enumerated.
 *   <li>{@link io.sluice.filter.cuckoo} counts ids, and finds the difference of two multisets.
 *   <li>{@link io.sluice.filter.rateless} finds that difference too, at a cost that follows it.
 *   <li>{@link io.sluice.filter.keyvalue} maps ids to small values.
 * </ul>
 *
 * <p>{@link io.sluice.filter.FilterSizing} says how many bits an id takes, {@link
 * io.sluice.filter.MeasuredError} what was measured beside a filter with an exact {@link
 * io.sluice.filter.sample}. Filters share {@link io.sluice.filter.hash}, {@link
 * io.sluice.filter.memory}, {@link io.sluice.filter.format} (their bytes), {@link
 * io.sluice.filter.merge} (ascending numbers of several made one) and {@link
 * io.sluice.filter.storage} (their files).
 *
 * <p><b>Verbs.</b> {@code add} inserts, and answers whether what it inserts was new; {@code insert}
 * does not ask. {@code remove} takes out again what was inserted. {@code mightContain} asks whether
 * a hash is held, {@code count} how many times, {@code query} with which value.
 *
 * <p><b>Threads.</b> A filter belongs to one thread at a time. Methods that look up one hash
 * ({@code mightContain}, {@code count}, {@code query}) change nothing, so any number of threads may
 * call them while none changes the filter, if it was handed over safely (as a {@code final} field
 * or through a queue, for example). Batches ({@code mightContainAll} and the like) use scratch
 * space of the filter and need it for themselves, as do methods that change, write, measure or
 * close it. {@link io.sluice.filter.cascade.CascadeFilter} merges in threads of its own and is
 * still used by one thread at a time, for lookups too.
 *
 * <p><b>Memory.</b> The garbage collector frees memory on the heap. Memory off the heap ({@link
 * io.sluice.filter.memory.Storage#OFF_HEAP}) is freed by {@code close}, at once, and otherwise when
 * the collector finds the filter. {@code copy} makes an independent filter; {@link
 * io.sluice.filter.quotient.QuotientMerge}, {@link io.sluice.filter.cuckoo.CuckooMerge} and {@link
 * io.sluice.filter.keyvalue.KeyValueBloomFilter#merge} make one of several. A filter with a window
 * cannot be merged: its slices have times of their own. To copy it, write it and read it again.
 */
package io.sluice.filter;
