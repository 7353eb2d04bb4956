/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.local;

/**
 * One completed checkpoint or savepoint.
 *
 * @param id as the JobManager numbers them, from 1
 * @param triggeredMillis when it began, milliseconds since 1970
 * @param durationMillis until the last task had acknowledged it
 * @param bytes what was written for it, which for incremental checkpoints is less than the state
 * @param savepoint whether somebody asked for it
 */
public record Checkpoint(
        long id, long triggeredMillis, long durationMillis, long bytes, boolean savepoint) {}
