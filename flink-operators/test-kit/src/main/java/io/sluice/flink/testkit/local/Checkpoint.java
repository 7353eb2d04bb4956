/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import org.apache.flink.annotation.Experimental;

/**
 * One completed checkpoint or savepoint.
 *
 * @param id the JobManager's number, from 1
 * @param triggeredMillis when it began, milliseconds since 1970
 * @param durationMillis until the last task had acknowledged it
 * @param bytes what was written for it; less than the state for incremental checkpoints
 * @param savepoint whether it is a savepoint
 */
@Experimental
public record Checkpoint(
        long id, long triggeredMillis, long durationMillis, long bytes, boolean savepoint) {}
