/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.process.Await;
import io.sluice.flink.testkit.process.Ports;
import io.sluice.job.JobTopics;
import io.sluice.job.Topics;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.flows.FlowsJob;
import io.sluice.job.flows.FlowsOptions;
import io.sluice.job.reconcile.ReconcileJob;
import io.sluice.job.reconcile.ReconcileOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.metrics.prometheus.PrometheusReporterFactory;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Running jobs, Flink's Prometheus reporter and a Prometheus with the rules of {@code docker}: what
 * the rules and the dashboards ask for exists, and pressure raises alerts. Skipped where no
 * Prometheus is installed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusIT {
    private static final Path DOCKER = Path.of("../../docker");
    private static final Path RULES = DOCKER.resolve("prometheus/rules.yml");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** A name that Flink's reporter makes; all of its names begin so. */
    private static final Pattern METRIC = Pattern.compile("\\bflink_\\w+");

    private static final Pattern EXPRESSION = Pattern.compile("(?m)^ +expr: (.*)$");

    /** More than a megabyte of filters can hold. */
    private static final int ORDERS = 600_000;

    private static final long STEP_MILLIS = 3;

    @TempDir private static Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private EmbeddedKafka kafka;
    private MiniCluster flink;
    private PrometheusServer prometheus;

    @BeforeAll
    void start() throws Exception {
        Optional<Path> program = PrometheusServer.program();
        assumeThat(program).as("no prometheus on the PATH: apt-get install prometheus").isPresent();
        kafka = EmbeddedKafka.start(Files.createDirectory(folder.resolve("kafka")));
        open.add(kafka);
        int port = Ports.free(1)[0];
        flink = flink(port);
        open.add(flink);
        flink.start();
        startJobs();
        prometheus =
                PrometheusServer.start(
                        program.orElseThrow(),
                        Files.createDirectory(folder.resolve("prometheus")),
                        Ports.free(1)[0],
                        "127.0.0.1:" + port,
                        RULES);
        open.add(prometheus);
        // An increase is seen only from a first value on.
        Await.until("orders are watched", LIMIT, () -> !overflows().isEmpty());
        sendOrders();
    }

    @AfterAll
    void stop() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private static MiniCluster flink(int reporterPort) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.ADDRESS, "127.0.0.1");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                folder.resolve("checkpoints").toUri().toString());
        configuration.set(CoreOptions.TMP_DIRS, folder.toString());
        String reporter = "metrics.reporter.prometheus.";
        configuration.setString(
                reporter + "factory.class", PrometheusReporterFactory.class.getName());
        configuration.setString(reporter + "port", Integer.toString(reporterPort));
        return new MiniCluster(
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(configuration)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(5)
                        .withRandomPorts()
                        .build());
    }

    /** One of each kind, which has the metrics of one dashboard. */
    private void startJobs() throws Exception {
        String servers = "--bootstrap-servers=" + kafka.bootstrapServers();
        Path capture = folder.resolve("traffic.pcap");
        assertThat(Sluice.run("generate", capture.toString(), "--model=flows", "--flows=2000"))
                .isZero();
        assertThat(Sluice.run("replay", capture.toString(), servers)).isZero();
        kafka.createTopics(1, "orders");

        CountersOptions counters = CountersOptions.parse(servers, "--checkpoint-interval=1 s");
        JobTopics.prepare(counters);
        submit("counters", env -> CountersJob.define(env, counters));
        FlowsOptions flows = FlowsOptions.parse(servers, "--checkpoint-interval=1 s");
        JobTopics.prepare(flows);
        submit("flows", env -> FlowsJob.define(env, flows));
        ReconcileOptions east =
                ReconcileOptions.parse(
                        List.of(
                                servers,
                                "--replica=east",
                                "--peer=west",
                                "--checkpoint-interval=1 s"));
        assertThat(east.prepare(false)).isEmpty();
        assertThat(east.mirrored("packets").prepare(false)).isEmpty();
        submit("reconcile", env -> ReconcileJob.define(env, east));
        // What gives is said, so the ids stay in memory.
        dedup(
                "within",
                servers,
                "--within=1 h",
                "--memory=1mb",
                "--expecting=1000",
                "--on-overflow=FORGET_OLDEST");
        dedup("forever", servers, "--forever", "--output-topic=orders-forever");
    }

    private void dedup(String name, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.addAll(
                List.of("--input-topic=orders", "--id=value", "--checkpoint-interval=1 s"));
        DedupOptions options = DedupOptions.parse(arguments.toArray(String[]::new));
        JobTopics.prepare(options);
        submit(name, env -> DedupJob.define(env, options));
    }

    private void submit(String name, Consumer<StreamExecutionEnvironment> define) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        env.setParallelism(1);
        define.accept(env);
        StreamGraph graph = env.getStreamGraph();
        graph.setJobName(name);
        flink.submitJob(graph.getJobGraph()).get();
    }

    private void sendOrders() {
        long start = System.currentTimeMillis() - ORDERS * STEP_MILLIS;
        try (KafkaProducer<byte[], byte[]> producer =
                Topics.producer(kafka, Map.of(ProducerConfig.LINGER_MS_CONFIG, 20))) {
            for (int i = 0; i < ORDERS; i++) {
                var unused =
                        producer.send(
                                new ProducerRecord<>(
                                        "orders",
                                        0,
                                        start + i * STEP_MILLIS,
                                        null,
                                        ("order-" + i).getBytes(UTF_8)));
            }
        }
    }

    private JsonNode overflows() throws IOException, InterruptedException {
        return prometheus.query(
                "flink_taskmanager_job_task_operator_sluice_overflows{job_name=\"within\"}");
    }

    @Test
    void everyMetricOfTheRulesExists() throws Exception {
        Set<String> asked = metricsIn(Files.readString(RULES));

        assertThat(asked).hasSizeGreaterThan(20);
        awaitMetrics("the rules", asked);
    }

    @Test
    void everyMetricOfTheDashboardsExistsAndEveryPanelIsAnswered() throws Exception {
        try (Stream<Path> files = Files.list(DOCKER.resolve("grafana/dashboards"))) {
            List<Path> dashboards = files.sorted().toList();
            assertThat(dashboards).hasSize(4);
            for (Path dashboard : dashboards) {
                JsonNode json = new ObjectMapper().readTree(dashboard.toFile());
                Set<String> asked = metricsIn(json.toString());
                assertThat(asked).as(dashboard.toString()).hasSizeGreaterThan(5);
                awaitMetrics(dashboard.toString(), asked);
                for (JsonNode expression : json.findValues("expr")) {
                    // As Grafana does for "All".
                    String query =
                            expression.asText().replace("$job", ".*").replace("$operator", ".*");
                    assertThat(query).doesNotContain("$");
                    assertThat(prometheus.query(query).isArray()).as(query).isTrue();
                }
            }
        }
    }

    @Test
    void everyRuleIsEvaluatedWithoutAnError() throws Exception {
        int rules = (int) EXPRESSION.matcher(Files.readString(RULES)).results().count();
        Await.until(
                "all rules are evaluated",
                LIMIT,
                () ->
                        prometheus.rules().findValues("health").stream()
                                        .filter(health -> health.asText().equals("ok"))
                                        .count()
                                == rules);
        assertThat(rules).isGreaterThan(15);
        assertThat(prometheus.rules().findValues("lastError")).isEmpty();
    }

    @Test
    void pressureRaisesTheAlertsThatSaySoAndNoneOfDefects() throws Exception {
        Set<String> pressure = Set.of("SluiceDuplicatesMayPass", "SluiceWindowShort");
        // Until memory has been short for five minutes, this is pending.
        String cap = "SluiceMemoryAtCap";
        Set<String> raised = new HashSet<>();
        Set<String> firing = new HashSet<>();
        Await.until(
                "alerts of " + pressure + " and " + cap,
                LIMIT,
                () -> {
                    for (JsonNode alert : prometheus.alerts()) {
                        String name = alert.path("labels").path("alertname").asText();
                        raised.add(name);
                        if (alert.path("state").asText().equals("firing")) {
                            firing.add(name);
                        }
                    }
                    return firing.containsAll(pressure) && raised.contains(cap);
                });

        for (JsonNode alert : prometheus.alerts()) {
            String name = alert.path("labels").path("alertname").asText();
            if (pressure.contains(name) || name.equals(cap)) {
                assertThat(alert.path("labels").path("job_name").asText()).isEqualTo("within");
                assertThat(alert.path("annotations").path("summary").asText())
                        .contains("within")
                        .doesNotContain("error", "<no value>", "{{");
            }
        }
        assertThat(raised)
                .doesNotContain(
                        "SluiceDuplicatesMissed",
                        "SluiceMeasuredErrorHigh",
                        "SluiceStateForgets",
                        "SluiceStateMeasuredErrorHigh",
                        "SluiceJobRestarts");
    }

    /** Waits until all are scraped; some come with the first checkpoint. */
    private void awaitMetrics(String of, Set<String> asked) throws Exception {
        Set<String> missing = new TreeSet<>(asked);
        try {
            Await.until(
                    "all metrics of " + of,
                    LIMIT,
                    () -> {
                        missing.removeAll(prometheus.metrics());
                        return missing.isEmpty();
                    });
        } catch (IOException e) {
            throw new AssertionError("no job has these metrics of " + of + ": " + missing, e);
        }
    }

    private static Set<String> metricsIn(String text) {
        return METRIC.matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
