/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Keeps "seen" flags in cascade filters: a Flink state backend.
 *
 * <p>Terms: a <em>membership state</em> is a value state of a Boolean, or a map state of Booleans,
 * that was chosen to be approximate; the <em>delegate</em> is the backend that holds all other
 * state and the timers.
 *
 * <p>Read in this order: {@link io.sluice.state.CascadeStateBackend} and {@link
 * io.sluice.state.CascadeBackendOptions} (what users see); {@code MembershipSelection} (which
 * states become approximate); {@code CascadeKeyedStateBackend} (routing, one for each subtask);
 * {@code MembershipValueState}, {@code TtlMembershipValueState} and {@code MembershipMapState} over
 * {@code KeyFingerprinter} (from a key to the filter's answer); {@code MembershipStates}, {@code
 * FilterHome}, {@code SlotResources} (the filters of a subtask, their directory, their memory).
 * Checkpoints are in {@link io.sluice.state.snapshot}, restores in {@link io.sluice.state.restore},
 * and states that are kept on the heap first in {@link io.sluice.state.heap}.
 *
 * <p>Threads: everything belongs to the task's thread, except the asynchronous part of a
 * checkpoint, which sees only what was pinned; merges, which run in the filter's own threads; and
 * metrics, which read numbers that the task's thread has published.
 */
package io.sluice.state;
