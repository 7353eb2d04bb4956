/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code ./sluice bench}: the figures of the papers and the numbers that the documentation quotes,
 * each measured beside its peers in one run. {@link io.sluice.bench.Bench} is the command line;
 * each benchmark has its own package: {@link io.sluice.bench.fbf} (figures 8 to 13 of the FBF
 * paper), {@link io.sluice.bench.window} (throughput and costs of the filters with a window),
 * {@link io.sluice.bench.filters} (all filters beside published ones), {@link io.sluice.bench.ccf}
 * (the counting cuckoo filter and synchronisation with it), {@code io.sluice.bench.operator}
 * (inside a Flink job), {@link io.sluice.bench.kafka} (through a broker, end to end) and {@link
 * io.sluice.bench.soak} (for hours, whether anything grows). They share {@link
 * io.sluice.bench.peer} (the structures that are compared), {@link io.sluice.bench.jmh} (how their
 * throughput is measured), {@link io.sluice.bench.report}, {@link io.sluice.bench.run}.
 */
package io.sluice.bench;
