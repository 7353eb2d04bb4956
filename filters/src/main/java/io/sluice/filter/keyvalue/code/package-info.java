/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Codes for values that share a cell: how several values are combined into one word, and how they
 * are read back.
 *
 * <p>Source: Xiong, Yao, Cao, He, <i>kBF: a Bloom Filter for Key-Value Storage</i>, sections on
 * encodings and Algorithm 1. The paper combines by XOR, so that two equal values cancel; the
 * product code here does not have this weakness and needs no more bits.
 *
 * <p>Vocabulary: a <b>symbol</b> is what is put into a cell, a small number; its <b>code word</b>
 * is the word that stands for it; a <b>cell word</b> is the combination of the code words of all
 * symbols in the cell.
 *
 * <p>Reading order: {@link io.sluice.filter.keyvalue.code.CellCode} (the interface), {@link
 * io.sluice.filter.keyvalue.code.CodeKind} (which codes there are), {@code PairProductCode} (our
 * own idea), {@code GaloisField} (its arithmetic).
 */
package io.sluice.filter.keyvalue.code;
