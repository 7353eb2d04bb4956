/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ApplicationID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.runtime.highavailability.FileSystemJobResultStore;
import org.apache.flink.runtime.highavailability.JobResultEntry;
import org.apache.flink.runtime.highavailability.JobResultStore;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlinkHomeTest {
    @TempDir Path folder;

    @Test
    void onlyAResultWithoutAnApplicationIsDeleted() throws Exception {
        FlinkHome home = new FlinkHome(folder, folder.resolve("disk"), 1, "127.0.0.1:1");
        Configuration configuration = GlobalConfiguration.loadConfiguration(home.conf().toString());
        JobResultStore results =
                FileSystemJobResultStore.fromConfiguration(configuration, Runnable::run);
        home.deleteUnrecoverableResults();
        JobResult failedEarly = result(null);
        JobResult ended = result(new ApplicationID());
        for (JobResult result : List.of(failedEarly, ended)) {
            results.createDirtyResultAsync(new JobResultEntry(result)).get();
        }
        assertThat(results.getDirtyResults()).hasSize(2);
        home.deleteUnrecoverableResults();
        assertThat(results.getDirtyResults())
                .extracting(JobResult::getJobId)
                .containsExactly(ended.getJobId());
    }

    private static JobResult result(@Nullable ApplicationID application) {
        return new JobResult.Builder()
                .jobId(new JobID())
                .jobName("job")
                .applicationId(application)
                .jobStatus(JobStatus.FAILED)
                .netRuntime(1)
                .build();
    }
}
