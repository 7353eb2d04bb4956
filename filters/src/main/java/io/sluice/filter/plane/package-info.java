/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Arrays that hold ids in up to 64 <b>planes</b>, and forget a plane as a whole.
 *
 * <p>A plane is the part of an array that holds the ids of one slice of time: the entries with one
 * tag in a table of fingerprints. One lookup asks all planes. An array knows no times: the filter
 * that is made of planes ({@code io.sluice.filter.forgetful}) decides when a plane is opened and
 * when it goes.
 *
 * <p>Only {@link io.sluice.filter.plane.Layout} is for users.
 *
 * <p>Reading order: {@link io.sluice.filter.plane.PlaneArray} (what is promised), {@link
 * io.sluice.filter.plane.Layout} and {@link io.sluice.filter.plane.Geometry} (where an id's bits
 * go), {@code FingerprintTable} and {@code AgedQuotientTable} (the layouts), {@code QuotientLine}
 * (the columns of a line), {@code FingerprintModel} (the formulas), {@link
 * io.sluice.filter.plane.PlaneSizing} (from a probability to a geometry), {@link
 * io.sluice.filter.plane.PinnedWords} (snapshots).
 *
 * <p>Nothing here is thread-safe, except for what is immutable, and for words that are pinned: they
 * may be written by another thread.
 */
package io.sluice.filter.plane;
