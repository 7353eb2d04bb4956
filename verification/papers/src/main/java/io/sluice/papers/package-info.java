/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The four papers that Sluice follows, item by item: {@link io.sluice.papers.Items} is the list of
 * their algorithms, formulas, claims and figures, {@link io.sluice.papers.Papers} computes the
 * figures, and {@link io.sluice.papers.Page} writes the page about all of them. A package for each
 * paper has its figures, and those of its structures that no job runs.
 */
package io.sluice.papers;
