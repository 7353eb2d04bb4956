/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Writes, reads and merges the immutable files of a cascade, the <b>level files</b>.
 *
 * <p>A level file is a sorted set of <b>entries</b>. An entry is one {@code long}: key group, the p
 * highest bits of a hash, and whether it is a tombstone. It lies in self-contained <b>pages</b> of
 * 4096 bytes, so that a lookup needs only one of them; the first entries of all pages, the index,
 * are in memory. Pages that were asked are kept in a {@link
 * io.sluice.filter.cascade.file.PageCache}; a {@link io.sluice.filter.cascade.file.Summary} in
 * memory answers most lookups of absent keys without any page. Merges read files with cursors, from
 * one end to the other, and write new ones.
 *
 * <p>Source: Bender et al., <i>Don't Thrash: How to Cache Your Hash on Flash</i> (section 2). There
 * a level is a quotient filter on disk, with empty slots. Since a level is only ever written by a
 * merge, there as here, nothing needs these slots: quotients are coded in unary without them (Elias
 * and Fano), which takes about two bits for an entry on top of its remainder, at any number of
 * entries.
 *
 * <p>Reading order: {@link io.sluice.filter.cascade.file.Entries}, {@code PageLayout} (the picture
 * of a page), {@code PageEncoder}, {@code PageDecoder}, {@code LevelFileFormat} (the picture of the
 * file), {@link io.sluice.filter.cascade.file.LevelFileWriter}, {@link
 * io.sluice.filter.cascade.file.LevelFile}, {@code PageIndex}, {@link
 * io.sluice.filter.cascade.file.PageCache}, {@link io.sluice.filter.cascade.file.Summary}, {@link
 * io.sluice.filter.cascade.file.EntryCursor}.
 */
package io.sluice.filter.cascade.file;
