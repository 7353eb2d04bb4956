/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench cascade}: sets on a local SSD that are many times larger than their memory, in one
 * run: the cascade filter and its peers.
 *
 * <p>Reading order: {@link io.sluice.bench.cascade.DiskFilter} (what takes part), {@link
 * io.sluice.bench.cascade.Scale} (how large a run is), {@link
 * io.sluice.bench.cascade.InsertionCurve} (operations over time); the parts of a run: {@link
 * io.sluice.bench.cascade.Insertions}, {@link io.sluice.bench.cascade.AddIfAbsentRates}, {@link
 * io.sluice.bench.cascade.ErrorRates}, {@link io.sluice.bench.cascade.LookupRates}, {@link
 * io.sluice.bench.cascade.WriteAmplification}.
 *
 * <p>Device measurements bypass the operating system's page cache ({@link
 * io.sluice.bench.cascade.DirectFile}), because a machine with more memory than data would hide the
 * device. Structures run one after another rather than in turns: otherwise their background work
 * would run in the others' time, for free.
 */
package io.sluice.bench.cascade;
