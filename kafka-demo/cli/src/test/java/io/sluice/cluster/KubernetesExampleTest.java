/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.Sluice;
import io.sluice.job.dedup.DedupOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.YamlParserUtils;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The example for the Flink Kubernetes operator, as far as that goes without a Kubernetes: names,
 * options of Flink and of the job, memory, and what the plan says.
 */
class KubernetesExampleTest {
    private static final Path FOLDER = Path.of("../../docker/kubernetes");

    /** Read by the operator, not by Flink; from its reference of version 1.16. */
    private static final Set<String> OF_THE_OPERATOR =
            Set.of(
                    "kubernetes.operator.savepoint.format.type",
                    "kubernetes.operator.periodic.savepoint.interval",
                    "kubernetes.operator.savepoint.history.max.count");

    private static final List<Class<?>> OPTIONS =
            List.of(
                    CheckpointingOptions.class,
                    HighAvailabilityOptions.class,
                    MetricOptions.class,
                    PipelineOptions.class,
                    RestartStrategyOptions.class,
                    StateBackendOptions.class,
                    StateRecoveryOptions.class,
                    TaskManagerOptions.class);

    private Map<String, Object> spec;
    private Map<String, Object> job;
    private Configuration flink;

    @BeforeEach
    void read() throws Exception {
        Map<String, Object> deployment =
                YamlParserUtils.loadYamlFile(FOLDER.resolve("deduplication.yaml").toFile());
        assertThat(deployment)
                .containsOnlyKeys("apiVersion", "kind", "metadata", "spec")
                .containsEntry("apiVersion", "flink.apache.org/v1beta1")
                .containsEntry("kind", "FlinkDeployment");
        spec = map(deployment, "spec");
        job = map(spec, "job");
        flink = new Configuration();
        map(spec, "flinkConfiguration")
                .forEach((key, value) -> flink.setString(key, String.valueOf(value)));
    }

    @SuppressWarnings("unchecked") // The casts fail where the file is not as expected.
    private static Map<String, Object> map(Map<String, Object> of, String name) {
        assertThat(of).containsKey(name);
        return (Map<String, Object>) of.get(name);
    }

    private static MemorySize memory(Map<String, Object> spec, String process) {
        return MemorySize.parse(String.valueOf(map(map(spec, process), "resource").get("memory")));
    }

    @SuppressWarnings("unchecked") // As above.
    private List<String> arguments() {
        return ((List<Object>) job.get("args")).stream().map(String::valueOf).toList();
    }

    private String argument(String name) {
        int at = arguments().indexOf(name);
        assertThat(at).as(name).isNotNegative();
        return arguments().get(at + 1);
    }

    @Test
    void itHasTheFieldsOfADeploymentAndNoOthers() {
        assertThat(spec)
                .containsOnlyKeys(
                        "image",
                        "flinkVersion",
                        "serviceAccount",
                        "flinkConfiguration",
                        "podTemplate",
                        "jobManager",
                        "taskManager",
                        "job");
        assertThat(job)
                .containsOnlyKeys(
                        "jarURI", "entryClass", "args", "parallelism", "upgradeMode", "state")
                .containsEntry("upgradeMode", "savepoint")
                .containsEntry("state", "running");
    }

    @Test
    void imageAndVersionAreThoseThatSluiceIsBuiltWith() throws IOException {
        Matcher version =
                Pattern.compile("<flink.version>((\\d+)\\.(\\d+)[^<]*)<")
                        .matcher(Files.readString(Path.of("../../pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(spec)
                .containsEntry("flinkVersion", "v" + version.group(2) + "_" + version.group(3));
        assertThat(Files.readString(FOLDER.resolve("Dockerfile")))
                .contains("FROM flink:" + version.group(1) + "-java17\n")
                .contains(String.valueOf(job.get("jarURI")).replace("local://", ""));
    }

    @Test
    void everyOptionOfFlinkExistsAndItsValueIsOne() throws Exception {
        Map<String, ConfigOption<?>> known = new HashMap<>();
        for (Class<?> options : OPTIONS) {
            for (Field field : options.getFields()) {
                if (field.get(null) instanceof ConfigOption<?> option) {
                    known.put(option.key(), option);
                }
            }
        }
        Set<String> unknown = new TreeSet<>();
        for (String key : flink.keySet()) {
            if (known.containsKey(key)) {
                assertThat(flink.getOptional(known.get(key))).as(key).isPresent();
            } else if (!OF_THE_OPERATOR.contains(key)
                    && !key.startsWith("metrics.reporter.prometheus.")) {
                unknown.add(key);
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void savepointsAreNativeAndCheckpointsIncremental() throws Exception {
        assertThat(
                        SavepointFormatType.valueOf(
                                flink.getString("kubernetes.operator.savepoint.format.type", "")))
                .isEqualTo(SavepointFormatType.NATIVE);
        assertThat(flink.get(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)).isTrue();
        assertThat(flink.get(MetricOptions.REPORTERS_LIST)).isEqualTo("prometheus");
        assertThat(Class.forName(flink.getString("metrics.reporter.prometheus.factory.class", "")))
                .isNotNull();
    }

    @Test
    void theJobTakesItsArguments() throws Exception {
        DedupOptions options = DedupOptions.parse(arguments().toArray(String[]::new));

        assertThat(options.parallelism()).hasValue((Integer) job.get("parallelism"));
        assertThat(
                        Class.forName(String.valueOf(job.get("entryClass")))
                                .getMethod("main", String[].class))
                .isNotNull();
    }

    @Test
    void processesFitTheirContainersAndFiltersTheirProcesses() {
        flink.set(TaskManagerOptions.TOTAL_PROCESS_MEMORY, memory(spec, "taskManager"));
        flink.set(TaskManagerOptions.CPU_CORES, 2.0);
        flink.set(JobManagerOptions.TOTAL_PROCESS_MEMORY, memory(spec, "jobManager"));

        TaskExecutorProcessSpec process = TaskExecutorProcessUtils.processSpecFromConfig(flink);
        var unused = JobManagerProcessUtils.processSpecFromConfig(flink);

        MemorySize filters =
                MemorySize.parse(argument("--memory"))
                        .multiply(flink.get(TaskManagerOptions.NUM_TASK_SLOTS));
        assertThat(process.getTaskOffHeapSize()).isGreaterThanOrEqualTo(filters);
        assertThat(process.getManagedMemorySize()).isEqualTo(MemorySize.ZERO);
        assertThat(process.getTaskHeapSize()).isGreaterThan(MemorySize.ofMebiBytes(512));
    }

    @Test
    void theMemoryIsWhatThePlanAsksFor() {
        List<String> plan = new ArrayList<>(List.of("plan", "--keys=200000000"));
        plan.addAll(List.of("--fpp=" + argument("--fpp"), "--memory=" + argument("--memory")));
        plan.add("--parallelism=" + argument("--parallelism"));

        assertThat(Sluice.run(plan.toArray(String[]::new))).as("0: it fits").isZero();
        plan.set(3, "--memory=128mb");
        assertThat(Sluice.run(plan.toArray(String[]::new))).as("1: it does not").isEqualTo(1);
    }
}
