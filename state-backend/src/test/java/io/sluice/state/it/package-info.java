/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Whole jobs on a cluster of two task managers in this process, through failures, lost task
 * managers, rescales and restarts.
 *
 * <p>Nothing depends on the clock. A {@link io.sluice.state.it.GatedSource} emits as many records
 * as the test admits; checkpoints are taken when the test asks, and so hold exactly what was
 * admitted before; a {@link io.sluice.state.it.Ledger} keeps what came out as state of the same
 * checkpoints, so that replays are not counted twice; it also fails on request. {@link
 * io.sluice.state.it.RunningJob} controls a job for the test.
 */
package io.sluice.state.it;
