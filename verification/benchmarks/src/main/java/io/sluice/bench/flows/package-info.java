/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench flows}: following TCP flows with key-value Bloom filters and with alternatives.
 *
 * <p>Errors are counted packet by packet against an exact map of the same packets; a filter
 * continues from its own answers, so errors have consequences.
 *
 * <p>Reading order: {@link io.sluice.bench.flows.BenchFlowsCommand}; {@code PacketTrace} and {@code
 * FilteredFlows} (what is measured); {@code StoreTrials} (equal memory); {@code CaptureRates} and
 * {@code FlowsThroughKafka} (speed, with the operator's stores and with the job); {@code
 * FlowCensus} and {@code CaptureTable} (real captures compared with other tools).
 */
package io.sluice.bench.flows;
