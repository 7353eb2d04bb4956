/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.highavailability.JobResultEntry;
import org.apache.flink.runtime.highavailability.JobResultStore;
import org.apache.flink.runtime.jobmaster.JobResult;

/**
 * Hides results that Flink 2.3 writes and cannot recover: that of a job that failed before it was
 * initialized, as when its checkpoint cannot be read, has no application, and no JobManager starts
 * that finds it.
 */
final class RecoverableJobResults implements JobResultStore {
    private final JobResultStore results;

    RecoverableJobResults(JobResultStore results) {
        this.results = results;
    }

    @Override
    public CompletableFuture<Void> createDirtyResultAsync(JobResultEntry entry) {
        return results.createDirtyResultAsync(entry);
    }

    @Override
    public CompletableFuture<Void> markResultAsCleanAsync(JobID job) {
        return results.markResultAsCleanAsync(job);
    }

    @Override
    public CompletableFuture<Boolean> hasDirtyJobResultEntryAsync(JobID job) {
        return results.hasDirtyJobResultEntryAsync(job);
    }

    @Override
    public CompletableFuture<Boolean> hasCleanJobResultEntryAsync(JobID job) {
        return results.hasCleanJobResultEntryAsync(job);
    }

    @Override
    public Set<JobResult> getDirtyResults() throws IOException {
        Set<JobResult> recoverable = new HashSet<>(results.getDirtyResults());
        recoverable.removeIf(result -> result.getApplicationId().isEmpty());
        return recoverable;
    }
}
