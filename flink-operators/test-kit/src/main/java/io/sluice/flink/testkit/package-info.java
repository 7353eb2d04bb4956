/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Tests jobs that deduplicate: knows what they must let through, and runs their operators.
 *
 * <p>Read in this order:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.testkit.DeduplicationTruth}: the whole truth of what went in and
 *       what came out of a job, and a verdict on it.
 *   <li>{@link io.sluice.flink.testkit.Applied}: the operator that a builder added to a stream,
 *       without a cluster.
 *   <li>{@link io.sluice.flink.testkit.Subtasks}: its subtasks, fed record by record, stopped and
 *       restored at another parallelism.
 * </ol>
 */
package io.sluice.flink.testkit;
