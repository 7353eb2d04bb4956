/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Throughput of the filters on one thread, beside the limit of the machine (one random cache line
 * per operation) and published filters, in rounds that take turns so that a slow minute hits all.
 */
package io.sluice.bench.rate;
