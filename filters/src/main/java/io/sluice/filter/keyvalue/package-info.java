/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Maps keys to small values without keeping the keys: the key-value Bloom filter.
 *
 * <p>Source: Xiong, Yao, Cao, He, <i>kBF: a Bloom Filter for Key-Value Storage</i>. Vocabulary: a
 * <b>cell</b> is a counter and a word in which the symbols of all keys in the cell are combined; a
 * <b>symbol</b> is a value and a few bits of the key, its <b>tag</b>; a cell is <b>decodable</b> if
 * its symbols can be read back; a key is <b>ambiguous</b> if its decodable cells allow more than
 * one value, or none is decodable; a <b>stuck</b> cell has a counter at its maximum.
 *
 * <p>Reading order: {@link io.sluice.filter.keyvalue.KeyValueBloomFilter} (what is promised),
 * {@link io.sluice.filter.keyvalue.KeyValueShape} (what it is made of), {@code CellTable} (how
 * cells are read and written), {@link io.sluice.filter.keyvalue.code} (how symbols share a word),
 * {@link io.sluice.filter.keyvalue.KeyValueModel} and {@link
 * io.sluice.filter.keyvalue.KeyValueSizing} (the probabilities, and the choice that follows from
 * them), {@link io.sluice.filter.keyvalue.ValueDictionary} (values that are not small numbers).
 *
 * <p>Nothing here is thread-safe, except for what is immutable.
 */
package io.sluice.filter.keyvalue;
