/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Keeps named states of the delegate, and their timers, on the heap as long as they fit: a row of
 * an event-time deduplication lives for one watermark delay, and most never have to be written to
 * disk.
 *
 * <p>{@link io.sluice.state.heap.HeapFirstStates} has two places for each state and each queue of
 * timers: Flink's heap backend, and the delegate. The entries of a key are in one of them. What
 * does not fit on the heap goes to the delegate, and stays there until it is removed. Checkpoints
 * hold both.
 */
package io.sluice.state.heap;
