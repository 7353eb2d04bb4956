/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What remembers machines: the state of each key, until it was idle for the time-to-live of that
 * state. Stores know neither events nor transitions, so they serve any machine.
 *
 * <p>Read {@link io.sluice.flink.machine.store.StateStore} first. {@link
 * io.sluice.flink.machine.store.ExactStore} knows each machine; {@link
 * io.sluice.flink.machine.store.FingerprintStore} knows each by a part of its hash; {@link
 * io.sluice.flink.machine.store.GenerationalStore} is over filters that {@link
 * io.sluice.flink.machine.store.KeyValueGenerations} makes; {@link
 * io.sluice.flink.machine.store.OneMachineStore} is for an input that is sorted by key. {@link
 * io.sluice.flink.machine.store.StateTimes} says when a machine is dropped, {@link
 * io.sluice.flink.machine.store.StoreMemory} how much memory the stores of a subtask share.
 */
package io.sluice.flink.machine.store;
