/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the job jar contains, and what it must not contain. */
class JobJarIT {
    @Test
    void holdsTheMainClassOfEachJob() throws Exception {
        Set<String> jobs = new TreeSet<>();
        for (String entry : classesIn(JobJar.path())) {
            if (entry.matches("io/sluice/job/[a-z]+/[A-Za-z]+Job\\.class")) {
                jobs.add(entry.replace('/', '.').replace(".class", ""));
            }
        }
        assertThat(jobs)
                .containsExactly(
                        "io.sluice.job.counters.CountersJob",
                        "io.sluice.job.dedup.DedupJob",
                        "io.sluice.job.flows.FlowsJob",
                        "io.sluice.job.machine.MachineJob",
                        "io.sluice.job.reconcile.ReconcileJob");
        try (URLClassLoader loader = loader()) {
            for (String job : jobs) {
                Method main = loader.loadClass(job).getMethod("main", String[].class);
                assertThat(Modifier.isStatic(main.getModifiers())).as(job).isTrue();
            }
        }
    }

    /**
     * Flink loads classes of its own packages from {@code lib/} before those of a job. So a
     * connector there would take the place of the job's, if the job's had the same name.
     */
    @Test
    void holdsNothingInThePackagesOfFlink() throws Exception {
        assertThat(classesIn(JobJar.path()))
                .noneMatch(name -> name.startsWith("org/apache/flink/"))
                .noneMatch(name -> name.contains("/connector/base/"))
                .contains("io/sluice/shaded/flink/connector/kafka/source/KafkaSource.class");
    }

    @Test
    void holdsNeitherBrokerNorScalaNorLogging() throws Exception {
        assertThat(classesIn(JobJar.path()))
                .noneMatch(name -> name.startsWith("scala/"))
                .noneMatch(name -> name.startsWith("kafka/"))
                .noneMatch(name -> name.startsWith("org/slf4j/"))
                .noneMatch(name -> name.startsWith("org/apache/logging/"))
                .noneMatch(name -> name.startsWith("org/apache/log4j/"))
                .noneMatch(name -> name.contains("com/fasterxml/"))
                .noneMatch(name -> name.startsWith("org/apache/avro/"))
                .noneMatch(name -> name.startsWith("org/junit/"))
                .contains("org/apache/kafka/clients/producer/KafkaProducer.class")
                .contains("io/sluice/filter/forgetful/ForgetfulFilter.class");
    }

    /** A class that is missing only on the cluster would be noticed late. */
    @Test
    void needsOnlyWhatItHoldsAndAFlinkDistribution() {
        ToolProvider jdeps =
                ToolProvider.findFirst("jdeps")
                        .orElseThrow(() -> new IllegalStateException("this is a JRE, not a JDK"));
        StringWriter out = new StringWriter();
        PrintWriter printer = new PrintWriter(out);
        int code =
                jdeps.run(
                        printer,
                        printer,
                        "--missing-deps",
                        "--multi-release",
                        "17",
                        "-cp",
                        FlinkClassPath.asArgument(),
                        JobJar.path().toString());
        assertThat(code).as(out.toString()).isZero();
        List<String> ours =
                out.toString()
                        .lines()
                        .filter(line -> line.strip().startsWith("io.sluice"))
                        // A distribution has flink-table-runtime in lib/, and only keys of SQL
                        // need it.
                        .filter(line -> !line.contains("-> org.apache.flink.table."))
                        .toList();
        assertThat(ours).isEmpty();
    }

    @Test
    void carriesLicensesServicesAndNoSignatures() throws Exception {
        try (JarFile jar = new JarFile(JobJar.path().toFile())) {
            assertThat(jar.isMultiRelease()).isTrue();
            assertThat(jar.stream().map(entry -> entry.getName()))
                    .contains(
                            "META-INF/LICENSE",
                            "META-INF/LICENSE-bundled",
                            "META-INF/NOTICE",
                            "META-INF/services/"
                                    + "org.apache.kafka.common.config.provider.ConfigProvider")
                    .noneMatch(name -> name.matches("META-INF/.*\\.(SF|DSA|RSA)"))
                    .noneMatch(name -> name.startsWith("log4j2"))
                    .doesNotHaveDuplicates();
        }
    }

    private static URLClassLoader loader() throws IOException {
        return new URLClassLoader(
                new URL[] {JobJar.path().toUri().toURL()}, JobJarIT.class.getClassLoader());
    }

    private static Set<String> classesIn(Path path) throws IOException {
        try (JarFile jar = new JarFile(path.toFile());
                Stream<String> names = jar.stream().map(entry -> entry.getName())) {
            return names.filter(name -> name.endsWith(".class"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
