/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench cascade}: sets on a local SSD that are many times larger than the memory they are
 * given, in one run: the cascade filter and its peers.
 *
 * <p>Reading order: {@link io.sluice.bench.cascade.DiskFilter} and {@link
 * io.sluice.bench.cascade.DiskSet} (what takes part), {@link io.sluice.bench.cascade.DeviceProbe}
 * (what the device allows), {@link io.sluice.bench.cascade.InsertionCurve} (insertions over time).
 * Peers: {@link io.sluice.bench.cascade.BloomFile}, {@link
 * io.sluice.bench.cascade.ElevatorBloomFile}, {@link io.sluice.bench.cascade.RocksSet}. Those that
 * measure the device read and write past the page cache of the system ({@link
 * io.sluice.bench.cascade.DirectFile}), because a machine with more memory than data would hide it.
 *
 * <p>Structures run one after the other and not in turns: their background work would otherwise go
 * on in the others' time, for free.
 */
package io.sluice.bench.cascade;
