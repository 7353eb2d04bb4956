/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.process.Await;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Prometheus on the loopback interface that asks one target every two seconds. */
final class PrometheusServer implements AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final Duration TO_DIE = Duration.ofSeconds(30);

    private final Process process;
    private final String address;
    private final Path log;
    private final HttpClient client = HttpClient.newHttpClient();

    private PrometheusServer(Process process, String address, Path log) {
        this.process = process;
        this.address = address;
        this.log = log;
    }

    /** The program, if it is installed. */
    static Optional<Path> program() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "prometheus"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts it, and waits until it answers.
     *
     * @param work an empty folder for its files
     * @param port of its own
     * @param target {@code host:port} of the metrics
     * @param rules a file
     */
    static PrometheusServer start(Path program, Path work, int port, String target, Path rules)
            throws Exception {
        Path config = work.resolve("prometheus.yml");
        Files.writeString(
                config,
                """
                global:
                  scrape_interval: 2s
                  evaluation_interval: 1s
                rule_files:
                  - %s
                scrape_configs:
                  - job_name: flink
                    static_configs:
                      - targets: ["%s"]
                """
                        .formatted(rules.toRealPath(), target));
        String address = "127.0.0.1:" + port;
        Path log = work.resolve("prometheus.log");
        Process process =
                new ProcessBuilder(
                                program.toString(),
                                "--config.file=" + config,
                                "--storage.tsdb.path=" + work.resolve("data"),
                                "--web.listen-address=" + address)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "prometheus"));
        PrometheusServer server = new PrometheusServer(process, address, log);
        Await.until("Prometheus answers", TO_START, server::isReady);
        return server;
    }

    private boolean isReady() throws InterruptedException, IOException {
        if (!process.isAlive()) {
            throw new AssertionError("Prometheus has ended:\n" + Files.readString(log));
        }
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (IOException e) {
            return false; // Not listening yet.
        }
    }

    /** The answer to a query: its {@code result}; fails if it is refused. */
    JsonNode query(String expression) throws IOException, InterruptedException {
        return api("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8)).path("result");
    }

    /** The names of all metrics that were scraped. */
    Set<String> metrics() throws IOException, InterruptedException {
        Set<String> names = new TreeSet<>();
        api("/api/v1/label/__name__/values").forEach(name -> names.add(name.asText()));
        return names;
    }

    /** The alerts that are pending or firing now. */
    JsonNode alerts() throws IOException, InterruptedException {
        return api("/api/v1/alerts").path("alerts");
    }

    /** The rules of the file, with what became of their last evaluation. */
    JsonNode rules() throws IOException, InterruptedException {
        return api("/api/v1/rules").path("groups");
    }

    private JsonNode api(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = get(path);
        JsonNode json = new ObjectMapper().readTree(answer.body());
        if (!json.path("status").asText().equals("success")) {
            throw new AssertionError(path + ": " + answer.body());
        }
        return json.path("data");
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://" + address + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().orTimeout(TO_DIE.toMillis(), TimeUnit.MILLISECONDS).join();
    }
}
