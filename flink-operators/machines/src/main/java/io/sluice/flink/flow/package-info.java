/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Follows TCP flows: from packets, however completely they were captured, to the states that
 * connections went through and ended in.
 *
 * <p>Vocabulary: a <b>flow</b> is what two endpoints say to each other, in both directions; its
 * <b>originator</b> is the side that began, its <b>responder</b> the other; a flow is <b>seen from
 * one side</b> if only one direction was captured, and <b>midstream</b> if its beginning was not; a
 * <b>closed</b> flow has ended and been reported, and is held for a while to absorb trailing
 * packets; a <b>slice</b> is a stretch of event time, a <b>generation</b> is the flows that were
 * last used in it.
 *
 * <p>Read in this order; the first group knows nothing of Flink:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.flow.ConnState}: what is finally reported of a flow.
 *   <li>{@link io.sluice.flink.flow.TcpFlags}, {@link io.sluice.flink.flow.FlowStates}, {@link
 *       io.sluice.flink.flow.ConnectionMachine}: what a segment does to a flow.
 *   <li>{@link io.sluice.flink.flow.FlowTimeouts}, {@link
 *       io.sluice.flink.machine.store.StateStore}: when a flow is dropped, and what remembers it:
 *       {@link io.sluice.flink.machine.store.ExactStore}, or {@link
 *       io.sluice.flink.machine.store.GenerationalStore} over filters that {@link
 *       io.sluice.flink.machine.store.KeyValueGenerations} makes.
 *   <li>{@link io.sluice.flink.flow.TotalsTable}: what the packets of open flows add up to.
 *   <li>{@link io.sluice.flink.flow.FlowTracker}: the combination of all of them.
 *   <li>{@link io.sluice.flink.flow.FlowStateMachine}: the operator's builder, with {@link
 *       io.sluice.flink.flow.TcpView} for what it reads, {@link io.sluice.flink.flow.FinishedFlow}
 *       and {@link io.sluice.flink.flow.FlowAlert} for what it emits, and {@link
 *       io.sluice.flink.flow.FlowMetrics} for what it counts.
 * </ol>
 */
package io.sluice.flink.flow;
