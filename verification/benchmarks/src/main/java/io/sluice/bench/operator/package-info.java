/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Deduplication inside a Flink job, in one JVM: the filter operator beside a keyed map that does
 * nothing and beside {@code ValueState<Boolean>} on Flink's own state backends.
 */
package io.sluice.bench.operator;
