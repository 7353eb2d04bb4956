/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The figures of the quotient and the cascade filter (Bender et al., HotStorage 2011), over the
 * library's own. What is timed over hundreds of millions of keys is a benchmark.
 */
package io.sluice.papers.qf;
