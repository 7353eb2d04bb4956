/* SPDX-License-Identifier: Apache-2.0 */
/**
 * State machines of one's own: what a machine is, and the operator that follows one for each key.
 *
 * <p>Vocabulary: a machine has a <b>key</b>; an <b>event</b> moves it from one <b>state</b> to the
 * next by a <b>transition</b>. A key that is not held is in the <b>initial</b> state, so that state
 * takes no memory. A <b>terminal</b> state finishes the machine. An event without a transition from
 * the present state is <b>illegal</b>.
 *
 * <p>Read {@link io.sluice.flink.machine.MachineDefinition} first; {@link
 * io.sluice.flink.machine.MachineBuilder} and {@link io.sluice.flink.machine.MachineText} make one.
 *
 * <p>{@link io.sluice.flink.machine.Machines} is the operator's builder, {@link
 * io.sluice.flink.machine.MachineReport} what it emits, and {@link
 * io.sluice.flink.machine.MachineMetrics} what it counts. What it shares with other operators that
 * have a store is {@link io.sluice.flink.machine.FollowingBuilder} and {@link
 * io.sluice.flink.machine.FollowingOperator}.
 */
package io.sluice.flink.machine;
