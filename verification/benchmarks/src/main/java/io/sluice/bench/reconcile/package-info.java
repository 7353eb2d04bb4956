/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench reconcile}: two replicas agree by exchanging counting cuckoo filters, or coded
 * symbols. It shows what the paper leaves open: whether a second round finishes, what an exchange
 * costs in bytes compared with others, and how it scales.
 *
 * <p>An <b>exchange</b> is what a job does, in one process and without a network: first totals of
 * parts, then a digest of the parts that differ, then the elements that differ; then further rounds
 * with other seeds while totals differ. What would be sent is counted.
 *
 * <p>Reading order: {@link io.sluice.bench.reconcile.BenchReconcileCommand}; {@code MultisetPair},
 * {@code Division}, {@code Exchange} and {@code RatelessExchange} (the protocols); {@code
 * Accuracy}, {@code Scaling} (its measurements); {@code Methods} (bytes of each method); {@code
 * Crossover} (exchanges whose cost grows with the difference).
 */
package io.sluice.bench.reconcile;
