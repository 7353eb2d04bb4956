/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The demonstration: a capture goes through a client that retries, a real broker and a real Flink
 * cluster; a TaskManager is lost and the job is rescaled on the way; and the outcome is judged
 * against what was sent.
 *
 * <p>{@link io.sluice.demo.Demo} runs all of it. {@code Pipeline} is the part with broker, cluster
 * and job, {@code CommittedTopic} reads what the job committed, {@code Judge} decides, per
 * operation and per counter, from the truth file of the replay and never from what the job says
 * about itself.
 *
 * <p>{@link io.sluice.demo.ReconcileDemo} is the other demonstration, of two replicas that agree:
 * {@code ReconcileProgress} reads their topics, {@code ReconcileJudge} compares their final
 * multisets with the union of their inputs.
 */
package io.sluice.demo;
