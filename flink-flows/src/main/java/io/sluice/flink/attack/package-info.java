/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Finds hosts that are flooded with SYN, and hosts that scan, from what {@link
 * io.sluice.flink.flow.FlowStateMachine} says of attempts to connect.
 *
 * <p>Vocabulary: an <b>attempt</b> is a connection that somebody asked for; it is <b>completed</b>
 * by the last packet of the handshake, <b>refused</b> by a RST, and else <b>unanswered</b>.
 * Attempts are counted for a <b>party</b>: the service that is asked, or the host that asks. Event
 * time is cut into <b>panes</b>; two in a row are a <b>window</b>, so a burst that is no longer
 * than a pane is in one window whole. What is known of a party in a pane is a <b>tally</b>.
 *
 * <p>Nothing is decided before the watermark has closed a pane. So alerts depend on the attempts
 * and their times alone, as long as none is late and memory suffices: not on the order in which
 * they come, nor on parallelism, failures and restores.
 *
 * <p>Read in this order; the first group knows nothing of Flink:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.attack.AttackKind}, {@link io.sluice.flink.attack.Party}, {@link
 *       io.sluice.flink.attack.AttackSettings}: what is looked for, and for whom.
 *   <li>{@link io.sluice.flink.attack.DistinctTargets}, {@link io.sluice.flink.attack.Tally},
 *       {@link io.sluice.flink.attack.Episode}, {@link io.sluice.flink.attack.AttackWatch}:
 *       counting and deciding; {@link io.sluice.flink.attack.AttackWatchFormat}: its bytes.
 *   <li>{@link io.sluice.flink.attack.AttackAlerts}: the operators' builder, with {@link
 *       io.sluice.flink.attack.AttackAlert} for what they emit and {@link
 *       io.sluice.flink.attack.AttackMetrics} for what they count.
 * </ol>
 */
package io.sluice.flink.attack;
