/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code ./sluice bench filters}: {@link io.sluice.bench.peer.Peers} take part, {@link
 * io.sluice.bench.jmh.Throughput} measures, {@link io.sluice.bench.filters.FiltersReport} writes.
 */
package io.sluice.bench.filters;
