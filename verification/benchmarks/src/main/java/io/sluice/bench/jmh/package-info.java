/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A closer look at one structure, in its own process with JMH: {@link
 * io.sluice.bench.jmh.LookupBenchmark}, {@link io.sluice.bench.jmh.AddIfAbsentBenchmark} and {@link
 * io.sluice.bench.jmh.RemovalBenchmark}, each answers one question. The documentation quotes {@link
 * io.sluice.bench.filters}, where peers take turns in one process.
 */
package io.sluice.bench.jmh;
