/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Counts an operation once, however often it is retried.
 *
 * <p>{@link io.sluice.flink.counter.IdempotentCounters} is the builder, {@link
 * io.sluice.flink.counter.CounterValue} the output. The filter, its clock and its metrics are those
 * of {@code io.sluice.flink.dedup}; totals are in Flink's keyed state. Counters without a filter
 * have only {@code records}, {@code nullCounters} and, if they expire, {@code expiredCounters} and
 * {@code wallClockAheadMillis}. Counters with a filter also have {@code expectedUndercount}: the
 * amount that all of them together are expected to miss, since the subtask started; and {@code
 * corrected} and {@code alreadySeen}: corrections that were applied, and those of operations that
 * had been counted.
 */
package io.sluice.flink.counter;
