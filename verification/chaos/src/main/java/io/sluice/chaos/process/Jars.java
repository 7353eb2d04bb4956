/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars of Sluice that a cluster is given, as Maven makes them.
 *
 * @param jobs for {@code flink run}; it has the Kafka connector too
 * @param sql for queries
 */
public record Jars(Path jobs, Path sql) {

    /**
     * Finds them in a checkout.
     *
     * @throws IOException if one was not made
     */
    public static Jars in(Path checkout) throws IOException {
        return new Jars(
                only(checkout.resolve("kafka-demo/jobs/target"), "sluice-jobs.jar"),
                only(checkout.resolve("flink-operators/jar/target"), "sluice-flink-*[0-9T].jar"));
    }

    private static Path only(Path folder, String pattern) throws IOException {
        List<Path> found = List.of();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                var matcher = folder.getFileSystem().getPathMatcher("glob:" + pattern);
                found = files.filter(file -> matcher.matches(file.getFileName())).toList();
            }
        }
        if (found.size() != 1) {
            throw new IOException(
                    "there is not one "
                            + pattern
                            + " in "
                            + folder
                            + ": run './mvnw -Dquick package'");
        }
        return found.get(0).toAbsolutePath().normalize();
    }
}
