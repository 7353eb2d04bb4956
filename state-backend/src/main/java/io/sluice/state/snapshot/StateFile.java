/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A file of a membership state that a checkpoint needs: a level file, or a sample.
 *
 * @param name no other content ever has it
 * @param source opens it
 * @param local where it is on this machine; empty if it is in memory
 */
record StateFile(String name, long sizeBytes, FileTransfer.Source source, Optional<Path> local) {}
