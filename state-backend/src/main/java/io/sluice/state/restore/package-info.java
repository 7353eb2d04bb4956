/* SPDX-License-Identifier: Apache-2.0 */

/**
 * From the handles of a checkpoint to membership states: {@link
 * io.sluice.state.restore.CascadeRestore} reads, checks and downloads what a {@code RestorePlan}
 * requires.
 */
package io.sluice.state.restore;
