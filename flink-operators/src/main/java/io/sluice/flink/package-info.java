/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What all Sluice operators share: the vocabulary of their builders, and state that is kept as one
 * structure per key group.
 *
 * <p>Read in this order:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.WindowSettings}: window, error, memory; what each option means.
 *   <li>{@link io.sluice.flink.WindowedBuilder}: the same options as methods, shared by the
 *       builders of {@code io.sluice.flink.dedup} and {@code io.sluice.flink.counter}.
 *   <li>{@link io.sluice.flink.IdHasher}: how an id becomes the one 64-bit hash.
 *   <li>{@link io.sluice.flink.KeyGroupedState}: one structure per key group, its snapshot, restore
 *       and rescaling.
 * </ol>
 *
 * <p>Operators are single-threaded: Flink calls them, their timers and their checkpoints from the
 * task's mailbox thread, and nothing here starts its own thread. There are two exceptions: one of
 * Flink's threads writes what a checkpoint has pinned, and reporters read metrics from other
 * threads and may see slightly older values.
 */
package io.sluice.flink;
