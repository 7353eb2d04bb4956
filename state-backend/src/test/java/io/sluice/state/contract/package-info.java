/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a state backend promises for flags, the Boolean value states that deduplication keeps:
 * tested with Flink's own backends, which are exact, and with ours, which may err with its
 * configured probability.
 *
 * <p>{@link io.sluice.state.contract.KeyedJob} is an operator's keyed state without the operator:
 * {@link io.sluice.state.contract.KeyedSubtask}s, a {@link
 * io.sluice.state.contract.CheckpointStore} that keeps the last checkpoint as a job manager does,
 * and {@link io.sluice.state.contract.Flags} to mark and look up. Each {@code *ContractTest} is one
 * part of the promise, and runs on each of the {@link io.sluice.state.contract.StateBackends}.
 */
package io.sluice.state.contract;
