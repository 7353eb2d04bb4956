/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where Maven put the jar for {@code lib/}. */
final class OneJar {
    private OneJar() {}

    /** The version of the build, as the build itself says it. */
    static String version() {
        return System.getProperty("sluice.version");
    }

    static Path path() {
        Path jar = Path.of("target", "sluice-flink-2.3-" + version() + ".jar").toAbsolutePath();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(jar + " is not there: run 'mvnw verify'");
        }
        return jar;
    }
}
