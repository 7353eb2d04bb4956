/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The cascade filter: a set of billions of hashes on local disk, whose newest entries are in memory
 * and whose others are in a few immutable level files.
 *
 * <p>Source: Bender et al., <i>Don't Thrash: How to Cache Your Hash on Flash</i> (section 2). Where
 * we depart from it, and why, is in {@code docs/design.md}.
 *
 * <h2>Concepts</h2>
 *
 * An <b>entry</b> is a key group, the first bits of a hash, and a bit that says "removed": a
 * <b>tombstone</b>. The newest entry of a hash decides. New ones go into the <b>active buffer</b>.
 * When that is full it is <b>frozen</b>, another one takes over, and a <b>flush</b> in the
 * background writes it as a level file. <b>Merges</b> turn files that are neighbours in age into
 * one. A <b>series</b> is a row of files that may be merged: of one <b>time bucket</b>, whose
 * entries expire together, and one <b>era</b>, whose entries keep the same number of bits.
 *
 * <p>A <b>version</b> is all frozen buffers and files at one moment. The <b>manifest</b> is the
 * list of files that is durable; a <b>commit</b> writes the next. A <b>snapshot</b> pins a version.
 * A <b>section</b> is the part of a file that belongs to the filter's key groups.
 *
 * <h2>Threads</h2>
 *
 * One thread, the owner, calls {@link io.sluice.filter.cascade.CascadeFilter}; the active buffer
 * and the view for lookups belong to it alone. Background threads see frozen buffers and files,
 * which never change. What they have done becomes visible to the owner when it takes over the next
 * version: it reads one volatile field in every operation. Snapshots may be used by another thread.
 *
 * <ul>
 *   <li>The lock of {@code Catalog} guards the current version, the reference counts of buffers and
 *       files, which merges run, and how many tasks. It is held for list operations, never for I/O.
 *   <li>The lock of {@code Maintenance} is held while a manifest is written: commits come one after
 *       the other. A thread that holds it may take the catalog's.
 *   <li>The lock of {@code MergeSchedule} guards which series is open; it may be taken under the
 *       catalog's. {@code BufferPool}, {@code Reports}, {@code WorkCounters} and {@code WriteLimit}
 *       have a lock each, under which no other is taken.
 * </ul>
 *
 * Files that nothing needs are deleted in the background, never by the owner in an operation that
 * is not a flush. A file that the durable manifest names is needed until a newer manifest is
 * durable.
 *
 * <h2>Reading order</h2>
 *
 * {@link io.sluice.filter.cascade.CascadeFilter} (what is promised), {@link
 * io.sluice.filter.cascade.CascadeOptions}, {@code ActiveBuffer}, {@code NextBuffer}, {@code
 * CurrentVersion}, {@code Expiry} (the owner's side), {@code ProbabilityBudget}, {@code
 * KeyGroupLoad}, {@code EntryBuffer}, {@code SpreadCursor} (key groups of unequal sizes), {@code
 * OlderEntries} (lookups), {@code BatchAdd}; {@code Version}, {@code Catalog}, {@code Reports},
 * {@code Maintenance} (the other side); {@link io.sluice.filter.cascade.MergePolicy}, {@code
 * MergePlanner}, {@code MergeSchedule} (what is merged when), {@code Eras}, {@code TimeBuckets};
 * {@code Manifest}, {@code ManifestStore}, {@code CascadeStore} (opening), {@code RestoredFiles},
 * {@link io.sluice.filter.cascade.CascadeSnapshot}. Level files have a package of their own.
 */
package io.sluice.filter.cascade;
