/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.rateless;

/**
 * An element of which the two sides have different numbers of copies.
 *
 * @param hash of the element
 * @param own copies on the decoder's side, 0 if it has none
 * @param atPeer copies on the encoder's side, 0 if it has none
 */
public record UnequalElement(long hash, long own, long atPeer) {}
