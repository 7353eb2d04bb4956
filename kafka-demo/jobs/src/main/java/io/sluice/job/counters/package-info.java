/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The job that counts operations that clients may repeat.
 *
 * <pre>
 *   topics -> CountedInput -> split -> IdempotentCounters -> counters topic    CounterValueSchema
 *                               |            |  '-- seen before --> duplicates
 *                               |            '---- too old -------> late
 *                               '-- not an operation -------------> dead letters DeadLetterSchema
 * </pre>
 *
 * <p>{@link io.sluice.job.counters.CountedMessages} are records of any kind, {@link
 * io.sluice.job.counters.CountedPackets} packet records. {@link
 * io.sluice.job.counters.CounterTopic} reads what the job wrote.
 */
package io.sluice.job.counters;
