/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Provides what operators are made of: state as one structure per key group, the identity of ids,
 * event time that is watched, and BATCH execution. Nothing here is for users.
 *
 * <p>Read in this order:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.runtime.IdHasher}: how an id becomes the one 64-bit hash.
 *   <li>{@link io.sluice.flink.runtime.KeyGroupedState}: one structure per key group, its snapshot,
 *       restore and rescaling; {@link io.sluice.flink.runtime.KeyGroupedOperator}, the shell around
 *       it.
 *   <li>{@link io.sluice.flink.runtime.StateIdentity}: what a restore must have in common with the
 *       job that wrote the state.
 *   <li>{@link io.sluice.flink.runtime.SortedOperator}: the shell for BATCH execution, in which
 *       input comes sorted by key.
 * </ol>
 *
 * <p>Operators are single-threaded: Flink calls them, their timers and their checkpoints from the
 * task's mailbox thread, and this package does not start threads. Two exceptions: what a checkpoint
 * has pinned is written by a thread of Flink's, and reporters read metrics from other threads, and
 * may see values of a moment ago.
 */
package io.sluice.flink.runtime;
