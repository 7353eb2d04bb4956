/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the Flink jobs on Kafka topics share. Each job has a package and a main class for {@code
 * flink run}, with the same options as {@code sluice job}: {@link io.sluice.job.dedup.DedupJob},
 * {@link io.sluice.job.counters.CountersJob}, {@link io.sluice.job.flows.FlowsJob}, {@link
 * io.sluice.job.machine.MachineJob}, {@link io.sluice.job.reconcile.ReconcileJob}.
 *
 * <p>{@link io.sluice.job.JobArguments} and {@link io.sluice.job.KafkaJobOptions} are the options,
 * {@link io.sluice.job.KafkaEnds} the source and the sinks, {@link io.sluice.job.JobTopics} the
 * topics. The Javadoc of each {@code ...Schema} class describes its records.
 *
 * <p>Results are written in Kafka transactions that commit with Flink's checkpoints: a reader with
 * {@code isolation.level=read_committed} sees each result exactly once, whatever fails. Messages
 * between replicas may come twice, and are numbered so that the receiver notices.
 */
package io.sluice.job;
