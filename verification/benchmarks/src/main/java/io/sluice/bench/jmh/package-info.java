/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Structures in their own processes with JMH: {@link io.sluice.bench.jmh.LookupBenchmark} and
 * {@link io.sluice.bench.jmh.ChangeBenchmark} ask a {@link io.sluice.bench.jmh.Filled} structure,
 * by themselves ({@code bench jmh}) or in rounds of all peers ({@link
 * io.sluice.bench.jmh.Throughput}).
 */
package io.sluice.bench.jmh;
