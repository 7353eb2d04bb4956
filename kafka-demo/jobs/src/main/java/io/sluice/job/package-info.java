/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Flink jobs that read packet records from Kafka. Each job is a main class for {@code flink run},
 * with the same options as {@code sluice job}.
 *
 * <p>{@link io.sluice.job.CountersJob} counts operations that clients may repeat:
 *
 * <pre>
 *   packets -> IncomingSchema -> split -> IdempotentCounters -> counters topic    CounterValueSchema
 *                                  |            |  '-- seen before --> duplicates  OperationSchema
 *                                  |            '---- too old -------> late        OperationSchema
 *                                  '-- no record of ours ------------> dead letters DeadLetterSchema
 * </pre>
 *
 * <p>{@link io.sluice.job.FlowsJob} follows TCP flows:
 *
 * <pre>
 *   packets -> IncomingSchema -> split -> FlowStateMachine -> flows topic         FinishedFlowSchema
 *                                  |        |   '-- alerts -> alerts topic        FlowAlertSchema
 *                                  |        '-- attempts ---> AttackAlerts -> alerts topic
 *                                  |                                              AttackAlertSchema
 *                                  '-- no record of ours ---> dead letters        DeadLetterSchema
 * </pre>
 *
 * <p>{@link io.sluice.job.ReconcileJob} is one of two replicas that repair their differences:
 *
 * <pre>
 *   packets -------> IncomingSchema -> split -> Reconcile -> corrections, reports, elements, late
 *   peer's topics -> bytes ----------------------'  '-----> digest, filter and repair topics
 * </pre>
 *
 * <p>Shared parts are {@code JobArguments} and {@link io.sluice.job.KafkaJobOptions} (options),
 * {@code KafkaEnds} and {@code PacketEnds} (source and sinks) and {@link io.sluice.job.JobTopics}.
 * What the source read is an {@code Incoming}; a job's {@code Reduction} says what it keeps of it:
 * an {@link io.sluice.job.Operation} or a {@code TcpSegment}.
 *
 * <p>The Javadoc of each {@code ...Schema} class describes its records on the topic. Results are
 * written in Kafka transactions that commit with Flink's checkpoints: a reader with {@code
 * isolation.level=read_committed} sees each result exactly once, whatever fails. Messages between
 * replicas may come twice, and are numbered so that the receiver notices.
 */
package io.sluice.job;
