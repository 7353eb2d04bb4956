/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointStoreUtil;
import org.apache.flink.runtime.jobmanager.ExecutionPlanStoreUtil;

/** How files are named. */
final class Names {
    /** Their order is that of the checkpoints. */
    static final CheckpointStoreUtil CHECKPOINTS =
            new CheckpointStoreUtil() {
                @Override
                public String checkpointIDToName(long id) {
                    return String.format("%019d", id);
                }

                @Override
                public long nameToCheckpointID(String name) {
                    return Long.parseLong(name);
                }
            };

    static final ExecutionPlanStoreUtil PLANS =
            new ExecutionPlanStoreUtil() {
                @Override
                public String jobIDToName(JobID job) {
                    return job.toHexString();
                }

                @Override
                public JobID nameToJobID(String name) {
                    return JobID.fromHexString(name);
                }
            };

    private Names() {}
}
