/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Two replicas of a pipeline find and repair their differences: both end with the union of what
 * either saw, every element at its larger multiplicity.
 *
 * <p>Source: Li, Luo, Guo, <i>Multiset Synchronization with Counting Cuckoo Filters</i>; what the
 * paper leaves open (lost and repeated messages, failures, what collisions hide) is decided here.
 * Vocabulary: a <b>replica</b> is one of two jobs that read copies of one stream; an <b>element</b>
 * is an id that was selected from a record, its <b>multiplicity</b> how many copies of it its
 * records stand for, by default one each; an <b>exchange</b> is what both do about one window of
 * one key group; a <b>round</b> is one exchange of filters, with its own seed; the <b>residue</b>
 * is what a round misses.
 *
 * <p>There are five kinds of messages, all facts about the sender's multiset that stay true (see
 * {@code Reconciliation} for why that is enough):
 *
 * <ul>
 *   <li>a <b>digest</b>: number of elements, of copies, and an order-free checksum. Equal digests
 *       end an exchange, usually before any filter is sent;
 *   <li>a <b>filter</b>: a counting cuckoo filter of the multiset, sent when digests differ;
 *   <li><b>coded symbols</b> of the multiset: what {@link DifferenceMethod#RATELESS} sends instead
 *       of a filter, and {@link DifferenceMethod#AUTO} if they take fewer bytes;
 *   <li>a <b>repair</b>: the answer to a filter or symbols, elements with their multiplicities;
 *   <li>a <b>shortage</b>: the answer to symbols that do not tell the difference, with a
 *       <b>sketch</b> from which the other side estimates how many would.
 * </ul>
 *
 * <p>Reading order. What it is about: {@link io.sluice.flink.reconcile.element}. What is said:
 * {@code Message}, {@code MessageFormat}, {@code Gate}. When it is said, without Flink: {@code
 * Reconciliation} (one window of one key group), which is made of {@code OwnMultiset}, {@code
 * PeerView}, {@code AwaitedAnswer} and {@code Outgoing}; {@code OwnFilter}, {@code SymbolCount} and
 * {@code RepairAnswer} (what it says), {@code GroupExchanges} (all windows of a key group), {@code
 * Host} (what they need). In Flink: {@link io.sluice.flink.reconcile.Reconcile} is the builder,
 * {@code ReadMessages} lets the peer's messages in, {@code ReconcileOperator} runs the exchanges,
 * {@code ReconcileState} is its keyed state, {@code Outbox} says when messages leave. {@code
 * LocalExchange} counts bytes of a method without a job.
 *
 * <p>Metrics of every subtask, in the group {@code sluice} of the operator's metric group; counters
 * since the subtask started:
 *
 * <table>
 *   <caption>Metrics</caption>
 *   <tr><th>name</th><th>type</th><th>meaning</th></tr>
 *   <tr><td>records</td><td>counter</td><td>records that came</td></tr>
 *   <tr><td>late</td><td>counter</td><td>of them, after their window was closed</td></tr>
 *   <tr><td>future</td><td>counter</td><td>of them, too far ahead of the wall clock</td></tr>
 *   <tr><td>saturated</td><td>counter</td><td>of them, beyond 2^63 - 1 copies in a window and key
 *       group</td></tr>
 *   <tr><td>nullIds</td><td>counter</td><td>of them, without an id</td></tr>
 *   <tr><td>noCopies</td><td>counter</td><td>of them, with a multiplicity below 1</td></tr>
 *   <tr><td>saturatedElements</td><td>counter</td><td>elements of filters with more copies than
 *       {@code counterBits} can count, in each filter again</td></tr>
 *   <tr><td>repaired</td><td>counter</td><td>repairs emitted</td></tr>
 *   <tr><td>sentBytes</td><td>counter</td><td>of messages, repeated ones too</td></tr>
 *   <tr><td>agreed, timedOut, suspended, tooLarge, noRoom, irreconcilable,
 *       peerGaveUp, unfinished</td><td>counter</td><td>exchanges
 *       that ended so, or were suspended, see {@link io.sluice.flink.reconcile.WindowReport.Outcome}</td></tr>
 *   <tr><td>tooManyDifferences, contradictorySymbols</td><td>counter</td><td>exchanges in which
 *       a filter followed coded symbols, see {@link Fallback}</td></tr>
 *   <tr><td>refused...</td><td>counter</td><td>messages of the peer without effect, see {@link
 *       io.sluice.flink.reconcile.Refusal}; those of damaged and foreign messages are metrics of
 *       the operator that reads messages</td></tr>
 *   <tr><td>waitingWindows</td><td>gauge</td><td>exchanges under way</td></tr>
 *   <tr><td>waitingElements</td><td>gauge</td><td>elements of these exchanges</td></tr>
 *   <tr><td>longestWaitMillis</td><td>gauge</td><td>of the one that has waited longest; a peer that
 *       is down shows here</td></tr>
 *   <tr><td>watermarkStalledMillis, watermarkAheadMillis</td><td>gauge</td><td>event time stands
 *       still in spite of records; a watermark is too far ahead to be believed</td></tr>
 * </table>
 */
package io.sluice.flink.reconcile;
