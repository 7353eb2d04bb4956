/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What all figures share: {@link io.sluice.papers.figure.PaperFigure} computes a {@link
 * io.sluice.papers.figure.Table} within a {@link io.sluice.papers.figure.Run}, and {@link
 * io.sluice.papers.figure.Agreement} compares it with an independent implementation.
 */
package io.sluice.papers.figure;
