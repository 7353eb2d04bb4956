/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The cascade filter: a set of billions of hashes on local disk, whose newest entries are in memory
 * and whose others are in a few immutable level files.
 *
 * <p>Reading order: {@link io.sluice.filter.cascade.CascadeFilter} (what is promised), {@link
 * io.sluice.filter.cascade.CascadeOptions}.
 */
package io.sluice.filter.cascade;
