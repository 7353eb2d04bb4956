/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench cascade}: sets on a local SSD that are many times larger than their memory, in one
 * run: the cascade filter and its peers.
 *
 * <p>Reading order: {@link io.sluice.bench.cascade.DiskFilter} and {@link
 * io.sluice.bench.cascade.DiskSet} (what takes part), {@link io.sluice.bench.cascade.Scale} (how
 * large a run is), {@link io.sluice.bench.cascade.InsertionCurve} (operations over time), {@link
 * io.sluice.bench.cascade.CascadeRun} (the parts of a run). The parts: {@link
 * io.sluice.bench.cascade.FigureThree}, {@link io.sluice.bench.cascade.AddIfAbsentRates}, {@link
 * io.sluice.bench.cascade.ErrorRates}, {@link io.sluice.bench.cascade.LookupRates}, {@link
 * io.sluice.bench.cascade.WriteAmplification}, {@link io.sluice.bench.cascade.CpuProfile}.
 *
 * <p>Peers: {@link io.sluice.bench.cascade.BloomFile}, {@link
 * io.sluice.bench.cascade.ElevatorBloomFile}, {@link io.sluice.bench.cascade.RocksSet}. Device
 * measurements bypass the operating system's page cache ({@link
 * io.sluice.bench.cascade.DirectFile}), because a machine with more memory than data would hide the
 * device.
 *
 * <p>Structures run one after another rather than in turns: otherwise their background work would
 * run in the others' time, for free.
 */
package io.sluice.bench.cascade;
