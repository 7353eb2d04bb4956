/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.testkit.local.StateFolder;
import io.sluice.job.KafkaJobOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options of jobs in this process that jobs on a cluster do not have. */
final class LocalArguments {
    static final String STATE_DIR = "--state-dir";

    @Option(
            names = STATE_DIR,
            paramLabel = "DIR",
            description =
                    "Folder for the job's state: a run that is interrupted, or killed, is continued"
                            + " by the next one with the same folder. Without it each run begins at"
                            + " the start of the input.")
    private @Nullable Path stateDir;

    @Option(
            names = LocalHeap.OPTION,
            paramLabel = "SIZE",
            description =
                    "Most memory of this process's heap, such as 4g: 256 mb, and for each subtask"
                            + " --memory and 128 mb for Kafka's clients. Default: 2g.")
    @SuppressWarnings("unused") // Java has no heap to choose any more: ./sluice reads it before.
    private @Nullable String heap;

    /**
     * The folder, if there is one.
     *
     * @throws IllegalArgumentException if the job ends by itself, after which nothing continues it
     */
    Optional<Path> stateDir(KafkaJobOptions options) {
        if (stateDir != null && options.isBounded()) {
            throw new IllegalArgumentException(
                    KafkaJobOptions.BOUNDED
                            + " reads from the start of the input to its end, and leaves no state:"
                            + " give either it or "
                            + STATE_DIR);
        }
        return Optional.ofNullable(stateDir);
    }

    /** Whether there is a run to continue. */
    boolean continues(KafkaJobOptions options) throws IOException {
        Optional<Path> folder = stateDir(options);
        if (folder.isEmpty()) {
            return false;
        }
        try (StateFolder state = StateFolder.open(folder.get(), STATE_DIR)) {
            return state.newest().isPresent();
        }
    }
}
