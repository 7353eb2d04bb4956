/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import org.apache.flink.annotation.Internal;

/**
 * A file of a checkpoint, or bytes in the metadata.
 *
 * @param file its path; {@code in _metadata} if it has none
 * @param subtask index; -1 if it is the operator's
 * @param role what is in it
 * @param bytes as the metadata says
 */
@Internal
public record FileReport(String file, int subtask, String role, long bytes) {}
