/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code ./sluice bench}: the figures of the papers and the numbers that the documentation quotes,
 * each measured beside its peers in one run. {@link io.sluice.bench.Bench} is the command line;
 * each benchmark has its own package: {@link io.sluice.bench.filters} (all filters beside published
 * ones), {@link io.sluice.bench.cascade} (sets on disk), {@link io.sluice.bench.overload} (more ids
 * than expected), {@link io.sluice.bench.reconcile} (two replicas agree), {@link
 * io.sluice.bench.flows} (TCP flows), {@link io.sluice.bench.machine} (state machines), {@code
 * io.sluice.bench.operator} and {@link io.sluice.bench.backend} (inside a Flink job), {@link
 * io.sluice.bench.kafka} (through a broker, end to end) and {@link io.sluice.bench.soak} (for
 * hours, whether anything grows). They share {@link io.sluice.bench.peer} (the structures that are
 * compared), {@link io.sluice.bench.kbf} (those with values), {@link io.sluice.bench.jmh} (how
 * throughput is measured), {@link io.sluice.bench.report} and {@link io.sluice.bench.run}.
 */
package io.sluice.bench;
