/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.flink.changelog.fs.FsStateChangelogOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;

/** Two task managers with two slots each, in this process; one of them can be replaced. */
final class Cluster {
    private static final long DEADLINE_SECONDS = 60;

    private final MiniCluster flink;

    /** Task managers keep their numbers; new ones get the next numbers. */
    private int oldestTaskManager;

    /**
     * @param temporary for the task managers' files
     */
    Cluster(Path temporary) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(128));
        configuration.set(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE, "filesystem");
        configuration.set(
                FsStateChangelogOptions.BASE_PATH,
                temporary.resolve("changelog").toUri().toString());
        configuration.set(CoreOptions.TMP_DIRS, temporary.toString());
        flink =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(2)
                                .setNumSlotsPerTaskManager(2)
                                .withRandomPorts()
                                .build());
        flink.start();
    }

    MiniCluster flink() {
        return flink;
    }

    /** Removes the older task manager, with what runs on it, and starts a new one. */
    void replaceTaskManager() throws Exception {
        flink.terminateTaskManager(oldestTaskManager++).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        flink.startTaskManager();
    }

    /** Ends what a failed test left running. */
    void cancelAll() throws Exception {
        for (JobStatusMessage job : flink.listJobs().get(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            if (!job.getJobState().isGloballyTerminalState()) {
                flink.cancelJob(job.getJobId()).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
                flink.requestJobResult(job.getJobId()).get(DEADLINE_SECONDS, TimeUnit.SECONDS);
            }
        }
    }

    void stop() throws Exception {
        flink.close();
    }
}
