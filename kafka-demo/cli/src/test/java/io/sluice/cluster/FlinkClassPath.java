/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The part of this test's class path that a Flink distribution has in its {@code lib}. It contains
 * nothing of Sluice, no Kafka connector and no Kafka clients: a job that runs on it has brought
 * them in its jar.
 */
final class FlinkClassPath {
    /**
     * Names of the jars, without versions. The Flink modules are those that {@code flink-dist} is
     * made of; the others are their libraries and log4j.
     */
    private static final Pattern IN_DISTRIBUTION =
            Pattern.compile(
                    "(flink-(?!connector-kafka|test-|streaming-java-.*-tests)[a-z0-9-]+"
                            + "|frocksdbjni|kryo|reflectasm|objenesis|minlog|snakeyaml-engine"
                            + "|commons-(cli|collections|compress|io|lang3|math3|text)"
                            + "|RoaringBitmap|javassist|async-profiler|jsr305"
                            + "|log4j-(api|core|slf4j-impl)|slf4j-api)"
                            + "-[0-9].*\\.jar");

    private FlinkClassPath() {}

    static List<Path> jars() {
        List<Path> jars =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Path::of)
                        .filter(
                                path ->
                                        IN_DISTRIBUTION
                                                .matcher(path.getFileName().toString())
                                                .matches())
                        .toList();
        if (jars.stream().noneMatch(jar -> jar.getFileName().toString().startsWith("flink-run"))) {
            throw new IllegalStateException(
                    "no flink-runtime jar on the class path: run this test with Maven");
        }
        return jars;
    }

    static String asArgument() {
        return jars().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
}
