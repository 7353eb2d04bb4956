/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code ./sluice bench filters}: what takes part ({@link io.sluice.bench.filters.Entrants}), what
 * is measured ({@link io.sluice.bench.filters.FilterContest}), and what is printed ({@link
 * io.sluice.bench.filters.ContestReport}).
 */
package io.sluice.bench.filters;
