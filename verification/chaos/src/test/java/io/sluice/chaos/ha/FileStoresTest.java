/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ApplicationID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.highavailability.JobResultEntry;
import org.apache.flink.runtime.highavailability.JobResultStore;
import org.apache.flink.runtime.highavailability.nonha.embedded.EmbeddedJobResultStore;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.leaderelection.LeaderInformation;
import org.apache.flink.runtime.persistence.StateHandleStore.AlreadyExistException;
import org.apache.flink.runtime.persistence.StateHandleStore.NotExistException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoresTest {
    @TempDir Path folder;

    @Test
    void entriesOutliveTheStore() throws Exception {
        new FileStateHandleStore<String>(folder).addAndLock("b", "two");
        new FileStateHandleStore<String>(folder).addAndLock("a", "one");
        FileStateHandleStore<String> store = new FileStateHandleStore<>(folder);
        assertThat(store.getAllHandles()).containsExactly("a", "b");
        assertThat(store.getAndLock("b").retrieveState()).isEqualTo("two");
        assertThat(store.exists("a").isExisting()).isTrue();
        store.replace("a", store.exists("a"), "three");
        assertThat(store.getAndLock("a").retrieveState()).isEqualTo("three");
        assertThat(store.releaseAndTryRemove("a")).isTrue();
        assertThat(store.exists("a").isExisting()).isFalse();
    }

    @Test
    void anEntryIsNotAddedTwiceAndNotReplacedUnlessItIsThere() throws Exception {
        FileStateHandleStore<String> store = new FileStateHandleStore<>(folder);
        store.addAndLock("a", "one");
        assertThatThrownBy(() -> store.addAndLock("a", "two"))
                .isInstanceOf(AlreadyExistException.class);
        assertThatThrownBy(() -> store.replace("b", store.exists("b"), "two"))
                .isInstanceOf(NotExistException.class);
        assertThatThrownBy(() -> store.getAndLock("b")).isInstanceOf(NotExistException.class);
    }

    @Test
    void noRestartGivesAnIdOfACheckpointAgain() throws Exception {
        Path file = folder.resolve("counter");
        FileCheckpointIdCounter counter = new FileCheckpointIdCounter(file);
        assertThat(counter.getAndIncrement()).isEqualTo(1);
        assertThat(counter.getAndIncrement()).isEqualTo(2);
        assertThat(new FileCheckpointIdCounter(file).getAndIncrement()).isEqualTo(3);
        counter.shutdown(JobStatus.FINISHED).get();
        assertThat(new FileCheckpointIdCounter(file).get()).isEqualTo(1);
    }

    @Test
    void theLastLeaderIsInTheFile() throws Exception {
        LeaderFile file = LeaderFile.of(folder, "dispatcher");
        assertThat(file.read()).isEqualTo(LeaderInformation.empty());
        LeaderInformation leader = LeaderInformation.known(UUID.randomUUID(), "pekko.tcp://x y");
        file.write(leader);
        assertThat(file.read()).isEqualTo(leader);
    }

    @Test
    void aResultWithoutAnApplicationIsNotRecovered() throws Exception {
        JobResultStore all = new EmbeddedJobResultStore();
        JobResultStore recoverable = new RecoverableJobResults(all);
        JobResult failedEarly = result(null);
        JobResult ended = result(new ApplicationID());
        for (JobResult result : List.of(failedEarly, ended)) {
            recoverable.createDirtyResultAsync(new JobResultEntry(result)).get();
        }
        assertThat(all.getDirtyResults()).hasSize(2);
        assertThat(recoverable.getDirtyResults()).containsExactly(ended);
        assertThat(recoverable.hasJobResultEntryAsync(failedEarly.getJobId()).get()).isTrue();
        recoverable.markResultAsCleanAsync(ended.getJobId()).get();
        assertThat(recoverable.getDirtyResults()).isEmpty();
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
