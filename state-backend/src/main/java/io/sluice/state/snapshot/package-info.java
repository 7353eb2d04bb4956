/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Writes the checkpoints of a backend that has membership states.
 *
 * <p>Read {@link io.sluice.state.snapshot.CascadeSnapshotStrategy} first (what happens when), then
 * {@link io.sluice.state.snapshot.CompositeHandle} (where the delegate's files and ours are put),
 * {@link io.sluice.state.snapshot.CompositeManifest} (the format that describes them), {@link
 * io.sluice.state.snapshot.UploadedFiles} (what need not be uploaded again) and {@code LocalCopy}
 * (what a task restored on the same machine reads instead).
 */
package io.sluice.state.snapshot;
