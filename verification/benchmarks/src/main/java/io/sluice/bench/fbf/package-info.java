/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Figures 8 to 13 of Subramanyam, Gupta, Leslie, Wang, <i>Idempotent Distributed Counters Using a
 * Forgetful Bloom Filter</i>: measured with the filters of Sluice, computed with the formulas, and
 * compared with the points of an independent implementation if its tables are available.
 *
 * <p>Reading order: {@code FilterState} (what a filter holds), {@code MonteCarlo} (how a
 * probability is measured), one class per figure, {@code ReferenceTables}.
 */
package io.sluice.bench.fbf;
