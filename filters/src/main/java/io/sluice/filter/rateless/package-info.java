/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Two sides find out how their multisets differ from <b>coded symbols</b>: one side sends as many
 * as the other needs, which depends on the difference alone, not on the multisets, and nobody has
 * to know the difference in advance.
 *
 * <p>Source: Yang, Gilad, Alizadeh, <i>Practical Rateless Set Reconciliation</i> (SIGCOMM 2024),
 * sections 4 and 5. About 1.35 symbols for each element that differs if many do, and at most about
 * 1.72 on average if few do. Departures:
 *
 * <ul>
 *   <li><b>Multisets.</b> The paper reconciles sets. A multiset can be made one by taking pairs of
 *       element and multiplicity for elements; then an element that both have, but not equally
 *       often, is two differences. Here the sums of a symbol are weighted with multiplicities
 *       instead of exclusive ors: what is left after subtraction is the element times the
 *       difference of its multiplicities, and dividing by the count gives the element. So it is one
 *       difference, and symbols need no field for multiplicities: the count, which they have
 *       anyway, is it. It takes some bits more. To divide by even numbers too, sums are modulo a
 *       prime.
 *   <li><b>Checksums of 4 bytes</b> rather than 8. An element that seems to be alone in a symbol
 *       must also belong there, which few others do. So something else is taken for an element with
 *       a probability below 1e-9 for each element that differs, and it is noticed: symbols are left
 *       over.
 *   <li><b>Counts</b> are written as in the paper, less what is expected of them, but in equally
 *       many bits for all symbols of a batch.
 * </ul>
 *
 * <p>A symbol takes 12 bytes and its surplus: about 11 bits for 64,000 elements with about 10
 * copies.
 *
 * <p>One exchange, between B and A (pure functions: sending is the caller's):
 *
 * <pre>
 *   SymbolEncoder encoder = new SymbolEncoder(setOfA, ExchangeKey.random());    // A
 *   CodedSymbols batch = encoder.next(100);                                     // A, send it
 *   SymbolDecoder decoder = new SymbolDecoder(setOfB, batch.key(), 1 &lt;&lt; 20);   // B
 *   while (decoder.accept(batch) == SymbolDecoder.Outcome.MORE) {
 *       batch = encoder.next(encoder.produced());                               // A, send it
 *   }
 *   decoder.difference();                                                       // B
 * </pre>
 *
 * <p>If the symbols do not suffice, B can say how many more would: a {@link
 * io.sluice.filter.rateless.DifferenceSketch} tells A about how many elements differ.
 *
 * <p>Reading order: {@link io.sluice.filter.rateless.SymbolEncoder}, {@code CodedElements}, {@code
 * SymbolIndexes}, {@code SymbolArray}, {@link io.sluice.filter.rateless.CodedSymbols}, {@link
 * io.sluice.filter.rateless.SymbolDecoder}, {@link io.sluice.filter.rateless.DifferenceSketch}.
 */
package io.sluice.filter.rateless;
