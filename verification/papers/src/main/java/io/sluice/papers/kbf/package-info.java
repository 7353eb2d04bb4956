/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The key-value Bloom filter (Xiong, Yao, Cao, He): {@link
 * io.sluice.papers.kbf.PaperKeyValueFilter} (Algorithms 2 to 5), {@link
 * io.sluice.papers.kbf.XorCode} (Algorithm 1), {@code SecondaryFilter} (s-kBF) and {@link
 * io.sluice.papers.kbf.StateBloomFilter}, which it compares with; the rest are figures.
 */
package io.sluice.papers.kbf;
