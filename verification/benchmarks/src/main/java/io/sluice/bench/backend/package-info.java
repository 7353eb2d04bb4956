/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Deduplication with Flink's own means, {@code ValueState<Boolean>} and SQL's keep-first, on one
 * state backend after another: records per second, bytes of state, checkpoints, restores.
 *
 * <p>{@link io.sluice.bench.backend.BackendCommand} runs the {@link io.sluice.bench.backend.Trial}s
 * of a {@link io.sluice.bench.backend.TrialPlan} in turns. {@link io.sluice.bench.backend.TrialRun}
 * runs one: a {@link io.sluice.bench.backend.TrialPipeline} on a cluster in this process, whose
 * source ends but whose job does not, so that checkpoints can be taken of the whole state and jobs
 * restored from them.
 */
package io.sluice.bench.backend;
