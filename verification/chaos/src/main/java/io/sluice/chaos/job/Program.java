/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.process.FlinkCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** How a job is started. */
@FunctionalInterface
interface Program {
    /**
     * What a start is told.
     *
     * @param servers the brokers
     * @param from the savepoint or checkpoint to go on from
     * @param isCanonical whether {@code from} is a savepoint in the canonical format
     * @param choice chooses among the options that may change at a restore
     */
    record Start(
            String servers,
            Optional<String> from,
            boolean isCanonical,
            int parallelism,
            SplittableRandom choice) {}

    /** Starts it, and returns its id. */
    String start(FlinkCluster cluster, Start start) throws IOException, InterruptedException;

    /** The arguments of a job, from the brokers and the choice. */
    @FunctionalInterface
    interface Arguments {
        List<String> of(String servers, SplittableRandom choice);
    }

    /** A class of the job jar, for {@code flink run}. */
    static Program ofJar(String mainClass, Arguments arguments) {
        return (cluster, start) -> {
            List<String> options =
                    new ArrayList<>(List.of("-p", Integer.toString(start.parallelism())));
            start.from().ifPresent(path -> options.addAll(List.of("-s", path)));
            return cluster.run(mainClass, options, arguments.of(start.servers(), start.choice()));
        };
    }
}
