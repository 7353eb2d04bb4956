/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where Maven put the jar for {@code flink run}. */
final class JobJar {
    private JobJar() {}

    static Path path() {
        Path jar = Path.of("../jobs/target/sluice-jobs.jar").toAbsolutePath().normalize();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(jar + " is not there: run 'mvnw package' first");
        }
        return jar;
    }
}
