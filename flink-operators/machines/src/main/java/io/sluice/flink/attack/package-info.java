/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Finds hosts that are flooded with SYNs, and hosts that scan, from the attempts to connect that
 * {@link io.sluice.flink.flow.FlowStateMachine} reports.
 *
 * <p>Vocabulary: an <b>attempt</b> is a request for a connection; it is <b>completed</b> by the
 * last packet of the handshake, <b>refused</b> by a RST, and otherwise <b>unanswered</b>. Attempts
 * are counted for a <b>party</b>: the service that is asked, or the host that asks. Event time is
 * cut into <b>panes</b>; two in a row are a <b>window</b>, so a burst no longer than a pane lies
 * entirely in one window. What is known of a party in a pane is a <b>tally</b>.
 *
 * <p>Nothing is decided before the watermark has closed a pane. So, as long as no attempt is late
 * and memory suffices, alerts depend only on the attempts and their times: not on their order of
 * arrival, parallelism, failures or restores.
 *
 * <p>Read in this order; the first group knows nothing of Flink:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.attack.AttackKind}, {@link io.sluice.flink.attack.Party}, {@link
 *       io.sluice.flink.attack.AttackSettings}: what is looked for, and for which party.
 *   <li>{@link io.sluice.flink.attack.DistinctTargets}, {@link io.sluice.flink.attack.Tally},
 *       {@link io.sluice.flink.attack.Episode}, {@link io.sluice.flink.attack.AttackWatch}:
 *       counting and deciding; {@link io.sluice.flink.attack.AttackWatchFormat}: its bytes.
 *   <li>{@link io.sluice.flink.attack.AttackAlerts}: the operators' builder, with {@link
 *       io.sluice.flink.attack.AttackAlert} for what they emit and {@link
 *       io.sluice.flink.attack.AttackMetrics} for what they count.
 * </ol>
 */
package io.sluice.flink.attack;
