/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Removes the duplicates of a stream, by id, in a window or for ever.
 *
 * <p>{@link io.sluice.flink.dedup.Deduplicate} is the builder. {@link
 * io.sluice.flink.dedup.Deduplicator} decides, and does not depend on Flink; the operators are
 * shells around it: {@code DeduplicateOperator} (default), {@code VerifyingDeduplicateOperator}
 * (exact), {@code StateDeduplicateOperator} (flags). They share {@link
 * io.sluice.flink.dedup.SeenIds} (key groups, clock, late records, metrics) and {@link
 * io.sluice.flink.dedup.RecordBatches}.
 *
 * <p>Metrics of every subtask, in the group {@code sluice} of the operator's metric group:
 *
 * <table>
 *   <caption>Metrics</caption>
 *   <tr><th>name</th><th>type</th><th>meaning</th></tr>
 *   <tr><td>records</td><td>counter</td><td>records that came</td></tr>
 *   <tr><td>duplicates</td><td>counter</td><td>reported as seen</td></tr>
 *   <tr><td>conflicts</td><td>counter</td><td>duplicates whose content is not that of a record that
 *       passed; only with {@link io.sluice.flink.dedup.Deduplicate#onConflict}, like the
 *       next</td></tr>
 *   <tr><td>uncompared</td><td>counter</td><td>duplicates that could not be compared, since a content
 *       is not held</td></tr>
 *   <tr><td>late</td><td>counter</td><td>older than the window, and not held</td></tr>
 *   <tr><td>future</td><td>counter</td><td>with a timestamp too far ahead of the wall clock, see
 *       {@link io.sluice.flink.WindowedBuilder#maxFuture}</td></tr>
 *   <tr><td>undecided</td><td>counter</td><td>passed although what they may be a duplicate of had
 *       left the window, or had been forgotten for lack of memory</td></tr>
 *   <tr><td>nullIds</td><td>counter</td><td>without an id, see {@link
 *       io.sluice.flink.OnNullId}</td></tr>
 *   <tr><td>rescued</td><td>counter</td><td>first occurrences that the filter took for duplicates,
 *       and that passed thanks to {@code verify()}</td></tr>
 *   <tr><td>alsoSeen</td><td>counter</td><td>ids that were seen elsewhere and are marked here, see
 *       {@link io.sluice.flink.dedup.Deduplicate#alsoSeen}; without it 0, like the next</td></tr>
 *   <tr><td>alreadySeen</td><td>counter</td><td>ids that were seen elsewhere and were known
 *       here</td></tr>
 *   <tr><td>overflows</td><td>gauge</td><td>ids affected by the lack of memory, see {@link
 *       io.sluice.filter.forgetful.OverflowPolicy}</td></tr>
 *   <tr><td>coveredMillis</td><td>gauge</td><td>how much of the window is held, in the key group
 *       that holds the least: all of it unless ids were forgotten early</td></tr>
 *   <tr><td>wantedBytes</td><td>gauge</td><td>what the filters would have taken if memory had
 *       sufficed</td></tr>
 *   <tr><td>generations</td><td>gauge</td><td>generations of the key group that has the
 *       most</td></tr>
 *   <tr><td>idsHeld</td><td>gauge</td><td>ids that are held, in the window or about to be
 *       forgotten</td></tr>
 *   <tr><td>bytes</td><td>gauge</td><td>of all filters and samples</td></tr>
 *   <tr><td>expectedBytes</td><td>gauge</td><td>what the expected ids need in the subtask that has
 *       the most key groups; if it exceeds {@code memory}, a warning says what fits</td></tr>
 *   <tr><td>predictedFpp</td><td>gauge</td><td>probability that a new id is dropped, from the fill
 *       of the filters</td></tr>
 *   <tr><td>measuredFpp</td><td>gauge</td><td>share of the watched first occurrences that were
 *       dropped, since the state began; NaN at first</td></tr>
 *   <tr><td>measuredFppLower, measuredFppUpper</td><td>gauge</td><td>its 95 % confidence
 *       interval</td></tr>
 *   <tr><td>snapshotMillis</td><td>gauge</td><td>how long the last checkpoint stopped the subtask
 *       from processing records while its filters were pinned; NaN before the first</td></tr>
 *   <tr><td>checkpointCopiedBytes</td><td>gauge</td><td>bytes on the heap, outside the filters and
 *       their budget, that checkpoints under way have copied and not written yet</td></tr>
 *   <tr><td>watermarkStalledMillis</td><td>gauge</td><td>event time only: how long the watermark
 *       has stood still, or failed to come, while records came; 0 until that is a quarter of the
 *       window, at least a minute</td></tr>
 *   <tr><td>watermarkAheadMillis</td><td>gauge</td><td>event time only: how far the watermark, or
 *       the clock that was restored, is ahead of the wall clock; 0 up to the window, at least an
 *       hour. See {@link io.sluice.flink.WindowedBuilder#resetClock}</td></tr>
 *   <tr><td>wallClockAheadMillis</td><td>gauge</td><td>processing time only: how far the wall clock
 *       has run ahead of a steady clock and is not believed, see {@link
 *       io.sluice.filter.forgetful.SteadyClock}</td></tr>
 *   <tr><td>watchedFirsts, watchedDropped</td><td>gauge</td><td>the two numbers it comes
 *       from</td></tr>
 *   <tr><td>requestedFpp, windowMillis, memoryBytes</td><td>gauge</td><td>what was asked
 *       for: constants to compare the others with</td></tr>
 *   <tr><td>watchedMissed</td><td>gauge</td><td>watched duplicates inside the window that passed:
 *       must be 0</td></tr>
 * </table>
 *
 * <p>With {@code inState()} and in BATCH execution ({@code SortedDeduplicateOperator}, whatever the
 * engine) there are only {@code records}, {@code duplicates}, {@code nullIds} and, where contents
 * are compared, those of conflicts; with {@code inState()} also {@code alsoSeen} and {@code
 * alreadySeen}. Ids are watched by an exact sample, see {@link
 * io.sluice.flink.WindowedBuilder#shadowIds}.
 */
package io.sluice.flink.dedup;
