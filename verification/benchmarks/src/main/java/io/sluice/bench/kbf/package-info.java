/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench kbf}: the key-value Bloom filter compared with the paper's and with alternatives, at
 * equal memory.
 *
 * <p>Reading order: {@link io.sluice.bench.kbf.KbfCommand}, {@code Workload} and {@code
 * StaticErrors} (what is measured), {@code EqualMemory} and {@code Churn} (the decisive
 * comparison), {@code MapletErrors} (maplets where they err), {@code ClosedForm}, {@code
 * PaperExperiment} and {@code EncodingTables} (the paper's tables), {@code KbfRates} (throughput).
 * The rivals: {@code PaperKeyValueFilter} (the paper's kBF, with its s-kBF and its regression in
 * {@code SecondaryFilter} and {@code RegressionLookup}), {@code StateBloomFilter} (Bonomi et al.
 * 2006), {@code CuckooMaplet} and {@code QuotientMaplet} (tables of fingerprints and values),
 * {@code ExactMap}.
 */
package io.sluice.bench.kbf;
