/* SPDX-License-Identifier: Apache-2.0 */
/**
 * For looking closer at one structure, in a process of its own with JMH: {@link
 * io.sluice.bench.jmh.LookupBenchmark}, {@link io.sluice.bench.jmh.AddIfAbsentBenchmark}, {@link
 * io.sluice.bench.jmh.RemovalBenchmark}, {@link io.sluice.bench.jmh.LevelFileBenchmark}, each one
 * question. {@link io.sluice.bench.filters} is what the documentation quotes: there peers take
 * turns in one process.
 */
package io.sluice.bench.jmh;
