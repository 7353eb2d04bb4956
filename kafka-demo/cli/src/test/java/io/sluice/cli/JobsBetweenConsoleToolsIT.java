/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.local.LocalFlink;
import io.sluice.flink.testkit.local.RunningJob;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.Topics;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.CountersOptions;
import io.sluice.job.dedup.DedupJob;
import io.sluice.job.dedup.DedupOptions;
import io.sluice.job.machine.MachineJob;
import io.sluice.job.machine.MachineJobOptions;
import io.sluice.job.reconcile.ReconcileJob;
import io.sluice.job.reconcile.ReconcileOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each job on JSON lines of Kafka's console producer, read by its console consumer, through a
 * killed TaskManager and a rescale. What is expected is counted from the lines that were sent.
 */
class JobsBetweenConsoleToolsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int PARTITIONS = 3;
    private static final int OPERATIONS = 3_000;
    private static final int ORDERS = 900;

    /** Of event time between two lines. */
    private static final long STEP = 500;

    private static final long START = 1_520_000_400_000L;
    private static final long WINDOW = Duration.ofMinutes(1).toMillis();

    /** After which all windows have ended, and all machines have timed out. */
    private static final long LATER = Duration.ofHours(6).toMillis();

    /** Of new ids: at p = 1e-6 more of {@link #OPERATIONS} are with a probability of 5e-6. */
    private static final int DROPPED_AT_MOST = 1;

    private static final int LARGEST_DELTA = 9;

    private static final String MACHINE =
            """
            machine: orders
            initial: none
            timeToLive: 1 h
            states:
              ordered:
              paid:
              shipped: {terminal: true}
            transitions:
              - {from: none, event: order, to: ordered}
              - {from: ordered, event: pay, to: paid}
              - {from: paid, event: ship, to: shipped}
            """;

    @TempDir private static Path folder;

    private static EmbeddedKafka kafka;

    private LocalFlink flink;
    private ConsoleTools tools;

    @BeforeAll
    static void startKafka() throws IOException {
        kafka = EmbeddedKafka.start(folder);
    }

    @AfterAll
    static void stopKafka() throws IOException {
        kafka.close();
    }

    @BeforeEach
    void start() throws IOException {
        flink = LocalFlink.start(folder, 1, 8);
        tools = new ConsoleTools(folder, kafka.bootstrapServers());
    }

    @AfterEach
    void stop() throws IOException {
        tools.close();
        flink.close();
    }

    /** A job and the lines of its input topic. */
    private record Job<O extends KafkaJobOptions>(
            String topic,
            List<String> lines,
            Function<String[], O> parse,
            BiConsumer<StreamExecutionEnvironment, O> define,
            List<String> arguments) {

        RunningJob start(LocalFlink flink, int parallelism, @Nullable String savepoint)
                throws IOException {
            List<String> all = new ArrayList<>(arguments);
            all.add("--bootstrap-servers=" + kafka.bootstrapServers());
            all.add("--input-topic=" + topic);
            all.add("--checkpoint-interval=200ms");
            all.add("--parallelism=" + parallelism);
            O options = parse.apply(all.toArray(String[]::new));
            options.prepare(savepoint != null);
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
            define.accept(env, options);
            return savepoint == null
                    ? flink.submit(env, topic)
                    : flink.submit(env, topic, savepoint);
        }

        List<String> third(int i) {
            return lines.subList(i * lines.size() / 3, (i + 1) * lines.size() / 3);
        }
    }

    /**
     * Runs jobs in two subtasks; kills their TaskManager when the first third of the lines has
     * results, while the second is sent; stops and continues them in four subtasks for the third.
     *
     * @param outputs the topics to read
     * @param isComplete whether all is there, by topic
     * @return the lines of the outputs, by topic
     */
    private Map<String, List<String>> run(
            List<Job<?>> jobs,
            List<String> outputs,
            boolean drain,
            Function<Map<String, ConsoleTools.Consumer>, Boolean> isComplete)
            throws Exception {
        List<ConsoleTools.Producer> producers = new ArrayList<>();
        List<RunningJob> running = new ArrayList<>();
        for (Job<?> job : jobs) {
            kafka.createTopics(PARTITIONS, job.topic);
            producers.add(tools.producer(job.topic));
            running.add(job.start(flink, 2, null));
        }
        Map<String, ConsoleTools.Consumer> consumers = new HashMap<>();
        for (String output : outputs) {
            consumers.put(output, tools.consumer(output));
        }
        send(producers, jobs, 0);
        awaitEach(running, "writing", job -> !consumers.get(outputs.get(0)).lines().isEmpty());
        for (RunningJob job : running) {
            // Else one that has none yet would begin anew.
            job.checkpoint();
        }
        send(producers, jobs, 1);
        flink.replaceTaskManager(0);
        awaitEach(running, "restored", job -> job.restored() > 0 && job.isRunning());
        List<String> savepoints = new ArrayList<>();
        for (RunningJob job : running) {
            savepoints.add(job.stopWithSavepoint(false));
        }
        send(producers, jobs, 2);
        running.clear();
        for (int i = 0; i < jobs.size(); i++) {
            producers.get(i).finish();
            running.add(jobs.get(i).start(flink, 4, savepoints.get(i)));
        }
        awaitEach(running, "complete", job -> isComplete.apply(consumers));
        for (RunningJob job : running) {
            job.stopWithSavepoint(drain);
        }
        Map<String, List<String>> lines = new HashMap<>();
        for (String output : outputs) {
            lines.put(output, consumers.get(output).lines(Topics.readAll(kafka, output).size()));
        }
        return lines;
    }

    private static void send(List<ConsoleTools.Producer> producers, List<Job<?>> jobs, int third)
            throws IOException {
        for (int i = 0; i < jobs.size(); i++) {
            producers.get(i).send(jobs.get(i).third(third));
        }
    }

    private static void awaitEach(
            List<RunningJob> jobs, String what, Function<RunningJob, Boolean> condition)
            throws IOException {
        for (RunningJob job : jobs) {
            BooleanSupplier ofThis = () -> condition.apply(job);
            job.await(what, LIMIT, ofThis);
        }
    }

    private static JsonNode value(String line) {
        try {
            return JSON.readTree(line.substring(line.indexOf('\t') + 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(String line, String field) {
        return value(line).path(field).asText();
    }

    /** Operations on pages, four of ten with a retry up to some hundred lines later. */
    private static List<String> operations() {
        Random random = new Random(11);
        TreeMap<Integer, String> lines = new TreeMap<>();
        for (int i = 0; i < OPERATIONS; i++) {
            String operation =
                    "client-%d\t{\"page\":\"/%d\",\"n\":%d,\"request\":\"r-%d\",\"try\":%%d}"
                            .formatted(
                                    random.nextInt(50),
                                    (int) Math.abs(random.nextGaussian() * 8),
                                    random.nextInt(LARGEST_DELTA) + 1,
                                    i);
            lines.put(4 * i, operation.formatted(1));
            if (random.nextInt(10) < 4) {
                int later = 4 * (i + random.nextInt(800)) + 1;
                while (lines.containsKey(later)) {
                    later += 4;
                }
                lines.put(later, operation.formatted(2));
            }
        }
        return List.copyOf(lines.values());
    }

    @Test
    void eachOperationPassesDedupOnce() throws Exception {
        List<String> sent = operations();

        Map<String, List<String>> read =
                run(
                        List.of(
                                new Job<DedupOptions>(
                                        "requests",
                                        sent,
                                        DedupOptions::parse,
                                        DedupJob::define,
                                        List.of(
                                                "--output-topic=once",
                                                "--id=json:/request",
                                                "--within=1h",
                                                "--on-duplicate=topic"))),
                        List.of("once", "once-duplicates"),
                        true,
                        consumers ->
                                consumers.get("once").lines().size()
                                                + consumers.get("once-duplicates").lines().size()
                                        >= sent.size());

        List<String> once = read.get("once");
        assertThat(Stream.concat(once.stream(), read.get("once-duplicates").stream()))
                .as("nothing is lost, and nothing is written twice")
                .containsExactlyInAnyOrderElementsOf(sent);
        assertThat(once.stream().map(line -> text(line, "request")))
                .doesNotHaveDuplicates()
                .hasSizeGreaterThanOrEqualTo(OPERATIONS - DROPPED_AT_MOST);
    }

    @Test
    void countersAreExact() throws Exception {
        List<String> sent = operations();
        Map<String, Long> exact = new TreeMap<>();
        Set<String> counted = new HashSet<>();
        for (String line : sent) {
            if (counted.add(text(line, "request"))) {
                exact.merge(text(line, "page"), value(line).path("n").asLong(), Long::sum);
            }
        }

        Map<String, List<String>> read =
                run(
                        List.of(
                                new Job<CountersOptions>(
                                        "views",
                                        sent,
                                        CountersOptions::parse,
                                        CountersJob::define,
                                        List.of(
                                                "--counter=json:/page",
                                                "--id=json:/request",
                                                "--delta=json:/n",
                                                "--acks-topic=acks",
                                                "--emit-every=20ms"))),
                        List.of("counters", "counters-duplicates", "acks"),
                        true,
                        consumers -> consumers.get("acks").lines().size() >= sent.size());

        assertThat(read.get("acks").stream().map(line -> text(line, "id")))
                .as("each try is acknowledged")
                .containsExactlyInAnyOrderElementsOf(
                        sent.stream().map(line -> text(line, "request")).toList());
        assertThat(read.get("counters-duplicates"))
                .hasSizeBetween(
                        sent.size() - OPERATIONS, sent.size() - OPERATIONS + DROPPED_AT_MOST);
        Map<String, JsonNode> last = new TreeMap<>();
        read.get("counters")
                .forEach(line -> last.put(line.substring(0, line.indexOf('\t')), value(line)));
        assertThat(last.keySet()).isEqualTo(exact.keySet());
        long missed = 0;
        double expected = 0;
        for (Map.Entry<String, JsonNode> counter : last.entrySet()) {
            long less = exact.get(counter.getKey()) - counter.getValue().path("value").asLong();
            assertThat(less).as("retries that counted on " + counter.getKey()).isNotNegative();
            missed += less;
            expected += counter.getValue().path("expectedUndercount").asDouble();
        }
        assertThat(expected).isBetween(0.0, (double) DROPPED_AT_MOST);
        assertThat(missed).isLessThanOrEqualTo(DROPPED_AT_MOST * LARGEST_DELTA);
    }

    /** Lines of whatever kind that let event time pass in each partition. */
    private static List<String> last(String line) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 4 * PARTITIONS; i++) {
            lines.add(line.formatted("last-" + i, "last-" + i, START + LATER));
        }
        return lines;
    }

    @Test
    void eachReportIsThatOfFollowingTheLines() throws Exception {
        String event = "%s\t{\"order\":\"%s\",\"at\":%d,\"type\":\"";
        Random random = new Random(13);
        List<String> sent = new ArrayList<>();
        TreeMap<Integer, String> planned = new TreeMap<>();
        for (int order = 0; order < ORDERS; order++) {
            int at = 10_000 * order;
            for (String type : List.of("order", "pay", "ship")) {
                for (int copies = random.nextInt(6); copies != 0; copies = copies == 5 ? 1 : 0) {
                    at += random.nextInt(500_000);
                    while (planned.containsKey(at)) {
                        at++;
                    }
                    planned.put(at, "o-" + order + " " + type);
                }
            }
        }
        for (String each : planned.values()) {
            String[] words = each.split(" ", 2);
            long at = START + sent.size() * STEP;
            sent.add(event.formatted(words[0], words[0], at) + words[1] + "\"}");
        }
        sent.addAll(last(event + "order\"}"));

        Map<String, String> states = new TreeMap<>();
        List<String> finished = new ArrayList<>();
        List<String> illegal = new ArrayList<>();
        int began = 0;
        for (String line : sent) {
            String order = text(line, "order");
            String what = states.getOrDefault(order, "none") + " " + text(line, "type");
            switch (what) {
                case "none order" -> {
                    states.put(order, "ordered");
                    began++;
                }
                case "ordered pay" -> states.put(order, "paid");
                case "paid ship" -> {
                    states.remove(order);
                    finished.add(order);
                }
                default -> illegal.add(order + " " + what);
            }
        }
        List<String> timedOut = new ArrayList<>();
        states.forEach(
                (order, state) -> {
                    if (order.startsWith("o-")) {
                        timedOut.add(order + " " + state);
                    }
                });
        int firsts = began;
        assertThat(finished).hasSizeGreaterThan(100);
        assertThat(illegal).hasSizeGreaterThan(100);
        assertThat(timedOut).hasSizeGreaterThan(100);

        Map<String, List<String>> read =
                run(
                        List.of(
                                new Job<MachineJobOptions>(
                                        "orders",
                                        sent,
                                        MachineJobOptions::parse,
                                        MachineJob::define,
                                        List.of(
                                                "--machine="
                                                        + Files.writeString(
                                                                folder.resolve("orders.yaml"),
                                                                MACHINE),
                                                "--key=json:/order",
                                                "--event=json:/type",
                                                "--time=json:/at",
                                                "--emit=first,finished,open"))),
                        List.of("machines", "machines-alerts"),
                        true,
                        consumers ->
                                consumers.get("machines").lines().size() >= firsts + finished.size()
                                        && consumers.get("machines-alerts").lines().size()
                                                >= illegal.size() + timedOut.size());

        Map<String, List<JsonNode>> reports =
                Stream.concat(read.get("machines").stream(), read.get("machines-alerts").stream())
                        .map(JobsBetweenConsoleToolsIT::value)
                        .collect(groupingBy(report -> report.path("kind").asText()));
        assertThat(reports.get("finished"))
                .extracting(report -> report.path("key").asText())
                .containsExactlyInAnyOrderElementsOf(finished);
        assertThat(reports.get("illegal"))
                .extracting(
                        report ->
                                report.path("key").asText()
                                        + " "
                                        + report.path("state").asText()
                                        + " "
                                        + report.path("event").asText())
                .containsExactlyInAnyOrderElementsOf(illegal);
        // Those that wait are known by their ids alone.
        Map<String, String> orders = new HashMap<>();
        for (JsonNode first : reports.get("first")) {
            orders.put(first.path("id").asText(), first.path("key").asText());
        }
        assertThat(reports.get("timed-out"))
                .extracting(
                        report ->
                                orders.get(report.path("id").asText())
                                        + " "
                                        + report.path("state").asText())
                .containsExactlyInAnyOrderElementsOf(timedOut);
        assertThat(
                        reports.get("open").stream()
                                .map(report -> orders.get(report.path("id").asText())))
                .allMatch(order -> order.startsWith("last-"))
                .hasSize(4 * PARTITIONS);
    }

    /** The lines of a replica, with losses and repetitions of its own. */
    private static List<String> clicks(int seed) {
        String click = "%s\t{\"id\":\"%s\",\"at\":%d}";
        Random random = new Random(seed);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < OPERATIONS; i++) {
            int times = random.nextInt(10) == 0 ? 0 : random.nextInt(10) == 0 ? 2 : 1;
            for (int time = 0; time < times; time++) {
                lines.add(click.formatted("user-" + i % 50, "click-" + i, START + i * STEP));
            }
        }
        lines.addAll(last(click));
        return lines;
    }

    /** How often each id is in a window of {@code lines}, without those that let time pass. */
    private static Map<String, Long> copies(List<String> lines) {
        Map<String, Long> copies = new TreeMap<>();
        for (String line : lines) {
            long at = value(line).path("at").asLong();
            if (at < START + LATER) {
                copies.merge(at / WINDOW * WINDOW + " " + text(line, "id"), 1L, Long::sum);
            }
        }
        return copies;
    }

    @Test
    void bothReplicasEndWithTheUnionOfTheirLines() throws Exception {
        Map<String, List<String>> sent = Map.of("east", clicks(17), "west", clicks(19));
        Map<String, Long> union = copies(sent.get("east"));
        copies(sent.get("west")).forEach((name, n) -> union.merge(name, n, Math::max));

        List<Job<?>> jobs = new ArrayList<>();
        List<String> outputs = new ArrayList<>();
        for (String replica : List.of("east", "west")) {
            jobs.add(
                    new Job<ReconcileOptions>(
                            replica,
                            sent.get(replica),
                            arguments -> ReconcileOptions.parse(List.of(arguments)),
                            ReconcileJob::define,
                            List.of(
                                    "--replica=" + replica,
                                    "--peer=" + (replica.equals("east") ? "west" : "east"),
                                    "--id=json:/id",
                                    "--time=json:/at",
                                    "--window=1min",
                                    "--groups=4",
                                    "--retry-after=2s",
                                    "--write-elements")));
            outputs.add("reconcile-" + replica + "-elements");
            outputs.add("reconcile-" + replica + "-corrections");
        }
        Map<String, List<String>> read =
                run(
                        jobs,
                        outputs,
                        false,
                        consumers ->
                                Stream.of(outputs.get(0), outputs.get(2))
                                        .allMatch(
                                                output ->
                                                        consumers.get(output).lines().size()
                                                                >= union.size()));

        for (String replica : List.of("east", "west")) {
            List<String> elements = read.get("reconcile-" + replica + "-elements");
            Map<String, Long> copies = new TreeMap<>();
            for (String line : elements) {
                copies.put(name(line), value(line).path("copies").asLong());
            }
            assertThat(copies).isEqualTo(union);
            assertThat(elements).as("each is told once").hasSize(union.size());
            Map<String, Long> corrected = copies(sent.get(replica));
            assertThat(corrected).isNotEqualTo(union);
            for (String line : read.get("reconcile-" + replica + "-corrections")) {
                JsonNode correction = value(line);
                corrected.merge(
                        name(line),
                        correction.path("after").asLong() - correction.path("before").asLong(),
                        Long::sum);
            }
            assertThat(corrected).isEqualTo(union);
        }
    }

    private static String name(String line) {
        return value(line).path("window").asLong() + " " + text(line, "id");
    }
}
