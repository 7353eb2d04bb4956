/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Answers "did this id come within the window?" in bounded memory: the forgetful filter, which
 * grows, shrinks and forgets by itself. As in the forgetful Bloom filter of Subramanyam et al.,
 * time is cut into slices, and the oldest slice is forgotten as a whole.
 *
 * <p>Vocabulary: a <b>slice</b> is the set of ids inserted between two rotations; a <b>plane</b> is
 * the part of an array that holds one slice ({@link io.sluice.filter.plane}); a <b>generation</b>
 * is what a plane holds, of one age; a <b>segment</b> is one array with its generations.
 *
 * <p>Reading order: {@link io.sluice.filter.forgetful.ForgetfulFilter} (what is promised), {@link
 * io.sluice.filter.forgetful.WindowOptions}, {@code Slices} (which slice and which array an id goes
 * to), {@code HeldSegments}, {@code Segment} and {@code Generations} (what is held), {@code
 * SegmentAllocator} and {@link io.sluice.filter.forgetful.MemoryBudget} (how large, and who pays),
 * {@code ArrivalClock} (what time it is).
 *
 * <p>Nothing here is thread-safe: check-and-insert, rotation and resizing are atomic with respect
 * to each other because one thread does them. A snapshot that was pinned ({@link
 * io.sluice.filter.forgetful.ForgetfulFilterSnapshot}) may be written by another.
 */
package io.sluice.filter.forgetful;
