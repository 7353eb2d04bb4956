/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Restores membership states from the handles of a checkpoint: {@link
 * io.sluice.state.restore.CascadeRestore} reads, checks and downloads what a {@code RestorePlan}
 * requires.
 */
package io.sluice.state.restore;
