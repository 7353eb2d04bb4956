/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a key-value Bloom filter is compared with on streams of packets: {@link
 * io.sluice.bench.kbf.KeyValueRivals}, of which {@code CuckooMaplet} and {@link
 * io.sluice.filter.quotient.QuotientMaplet} are tables of fingerprints and values, and {@code
 * ExactMap} never errs.
 */
package io.sluice.bench.kbf;
