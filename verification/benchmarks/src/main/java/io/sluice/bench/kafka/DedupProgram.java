/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import static io.sluice.bench.kafka.DedupEndToEnd.PARALLELISM;

import io.sluice.bench.run.FolderSize;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.flink.testkit.local.StateFolder;
import io.sluice.job.FilterArguments;
import io.sluice.job.dedup.DedupOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** {@code job dedup} on a cluster in this process. It continues from its last checkpoint. */
final class DedupProgram implements CopyingProgram {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String OUTPUT = OrdersTopic.NAME + "-dedup";

    private final EmbeddedKafka kafka;
    private final Path directory;
    private final long idsPerSecond;
    private final Path folder;
    private final StateFolder state;
    private LocalFlink flink;
    private RunningJob job;

    private DedupProgram(EmbeddedKafka kafka, Path directory, long idsPerSecond)
            throws IOException {
        this.idsPerSecond = idsPerSecond;
        this.kafka = kafka;
        this.directory = directory;
        folder = directory.resolve("checkpoints-of-dedup");
        state = StateFolder.open(folder, "the state of job dedup");
    }

    /**
     * Creates its topics; does not start it.
     *
     * @param idsPerSecond of event time, which it sizes its filters for
     */
    static DedupProgram create(EmbeddedKafka kafka, Path directory, long idsPerSecond)
            throws IOException {
        kafka.createTopics(DedupEndToEnd.PARTITIONS_OF_OUTPUT, OUTPUT, OUTPUT + "-dead");
        return new DedupProgram(kafka, directory, idsPerSecond);
    }

    @Override
    public String id() {
        return "dedup";
    }

    @Override
    public String title() {
        return "sluice job dedup --within \"1 d\" --expecting "
                + idsPerSecond
                + ", by a JSON pointer";
    }

    @Override
    public String output() {
        return OUTPUT;
    }

    @Override
    public Started start() throws IOException {
        flink = LocalFlink.start(directory, 1, PARALLELISM, Optional.of(state));
        DedupOptions options =
                DedupEndToEnd.options(
                        kafka,
                        OUTPUT,
                        PARALLELISM,
                        List.of(
                                DedupEndToEnd.WITHIN,
                                DedupEndToEnd.BY_POINTER,
                                FilterArguments.EXPECTING + "=" + idsPerSecond));
        StreamExecutionEnvironment env = DedupEndToEnd.environment(options, PARALLELISM);
        long begun = System.currentTimeMillis();
        job = flink.resume(env, OUTPUT, state.newest());
        job.awaitRunning(LIMIT);
        return new Started(begun, System.currentTimeMillis());
    }

    @Override
    public void requireAlive() throws IOException {
        if (job.hasEnded()) {
            throw new IOException("job dedup has ended: " + job.lastFailure().orElse("cancelled"));
        }
    }

    /** Ends it without a savepoint: the last checkpoint stays. */
    @Override
    public void stop() throws IOException {
        job.cancel();
        job.await("cancelled", LIMIT, job::hasEnded);
        flink.close();
    }

    /** Bytes of the last checkpoint, which is all that it keeps on disk. */
    long checkpointBytes() {
        return FolderSize.of(folder).bytes();
    }

    @Override
    public void close() throws IOException {
        if (flink != null) {
            flink.close();
        }
        state.close();
        Directories.deleteRecursively(folder);
    }
}
