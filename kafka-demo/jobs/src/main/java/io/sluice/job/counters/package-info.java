/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The job that counts operations that clients may repeat.
 *
 * <pre>
 *   packets -> IncomingSchema -> split -> IdempotentCounters -> counters topic    CounterValueSchema
 *                                  |            |  '-- seen before --> duplicates  OperationSchema
 *                                  |            '---- too old -------> late        OperationSchema
 *                                  '-- not a packet record ----------> dead letters DeadLetterSchema
 * </pre>
 */
package io.sluice.job.counters;
