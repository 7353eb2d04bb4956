/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The windowed filter, which is what jobs use: it answers "did this id come within the window?" in
 * bounded memory, and grows, shrinks and forgets by itself.
 *
 * <p>Vocabulary: a <b>slice</b> is the set of ids inserted between two rotations; a <b>plane</b> is
 * the part of an array that holds one slice ({@link io.sluice.filter.plane}); a <b>generation</b>
 * is what a plane holds, of one age; a <b>segment</b> is one array with its generations.
 *
 * <p>Reading order: {@link io.sluice.filter.window.WindowedFilter} (what is promised), {@link
 * io.sluice.filter.window.WindowOptions}, {@code Slices} (which slice and which array an id goes
 * to), {@code HeldSegments}, {@code Segment} and {@code Generations} (what is held), {@code
 * SegmentAllocator} and {@link io.sluice.filter.window.MemoryBudget} (how large, and who pays),
 * {@code ArrivalClock} (what time it is).
 *
 * <p>Nothing here is thread-safe: check-and-insert, rotation and resizing are atomic with respect
 * to each other because one thread does them. A snapshot that was pinned ({@link
 * io.sluice.filter.window.WindowedFilterSnapshot}) may be written by another.
 */
package io.sluice.filter.window;
