/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where Maven put the jar for {@code lib/}. */
public final class OneJar {
    private OneJar() {}

    /** The version of the build, as the build itself says it. */
    static String version() {
        return System.getProperty("sluice.version");
    }

    /** What the build of this module has left, for the tests of other modules too. */
    static Path target() {
        return Path.of("../..", "flink-operators", "jar", "target").toAbsolutePath().normalize();
    }

    /** The jar. */
    public static Path path() {
        Path jar = target().resolve("sluice-flink-2.3-" + version() + ".jar");
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(jar + " is not there: run 'mvnw verify'");
        }
        return jar;
    }
}
