/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a run asks of the JobManager's REST interface. How jobs are is never asked where Flink keeps
 * an answer for some seconds by the wall clock: after that clock was ahead, the answer would stay
 * for as long as it was ahead.
 */
public final class FlinkRest {
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
    private static final int OK = 200;
    private static final int ACCEPTED = 202;

    private final URI root;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(REQUEST_LIMIT).build();
    private final ObjectMapper mapper = new ObjectMapper();

    FlinkRest(int port) {
        root = URI.create("http://" + Ports.HOST + ":" + port + "/");
    }

    /** How many TaskManagers are registered now. */
    int taskManagers() throws IOException, InterruptedException {
        return get("taskmanagers").path("taskmanagers").size();
    }

    /** The status, as in {@code org.apache.flink.api.common.JobStatus}. */
    public String status(String job) throws IOException, InterruptedException {
        return get("jobs/" + job + "/status").path("status").asText();
    }

    /** The ids of all jobs, whatever their status. */
    Set<String> jobs() throws IOException, InterruptedException {
        Set<String> ids = new TreeSet<>();
        get("jobs").path("jobs").forEach(job -> ids.add(job.path("id").asText()));
        return ids;
    }

    /** Whether every subtask of every operator of {@code job} runs. */
    public boolean allTasksRun(String job) throws IOException, InterruptedException {
        for (JsonNode one : get("jobs/overview").path("jobs")) {
            if (one.path("jid").asText().equals(job)) {
                int running = one.path("tasks").path("running").asInt();
                return one.path("state").asText().equals("RUNNING")
                        && running > 0
                        && running == one.path("tasks").path("total").asInt();
            }
        }
        return false;
    }

    /** The id of the newest checkpoint that was completed, or 0; savepoints do not count. */
    public long newestCheckpoint(String job) throws IOException, InterruptedException {
        return get("jobs/" + job + "/checkpoints")
                .path("latest")
                .path("completed")
                .path("id")
                .asLong();
    }

    /** Numbers of checkpoints of {@code job}, by kind, since it or the JobManager was started. */
    public JsonNode checkpointCounts(String job) throws IOException, InterruptedException {
        return get("jobs/" + job + "/checkpoints").path("counts");
    }

    /** Where the newest completed checkpoint is. */
    public Optional<String> newestCheckpointPath(String job)
            throws IOException, InterruptedException {
        String path =
                get("jobs/" + job + "/checkpoints")
                        .path("latest")
                        .path("completed")
                        .path("external_path")
                        .asText();
        return path.isEmpty() ? Optional.empty() : Optional.of(path);
    }

    /** The failures of {@code job}, with all causes; empty if there were none. */
    public String failures(String job) throws IOException, InterruptedException {
        StringBuilder all = new StringBuilder();
        for (JsonNode entry :
                get("jobs/" + job + "/exceptions").path("exceptionHistory").path("entries")) {
            all.append(entry.path("stacktrace").asText()).append('\n');
        }
        return all.toString();
    }

    /** Whether the JobManager answers at all. */
    boolean isUp() throws IOException, InterruptedException {
        get("overview");
        return true;
    }

    /**
     * Asks for a savepoint after which the job ends.
     *
     * @return the id of the request, for {@link #savepoint}
     */
    String stop(String job, String target, String format) throws IOException, InterruptedException {
        String body =
                mapper.writeValueAsString(
                        Map.of("targetDirectory", target, "drain", false, "formatType", format));
        return send("POST", "jobs/" + job + "/stop", body).path("request-id").asText();
    }

    /** Where the savepoint is; empty while it is being written. */
    Optional<String> savepoint(String job, String request)
            throws IOException, InterruptedException {
        JsonNode answer = get("jobs/" + job + "/savepoints/" + request);
        if (!answer.path("status").path("id").asText().equals("COMPLETED")) {
            return Optional.empty();
        }
        JsonNode operation = answer.path("operation");
        if (operation.has("failure-cause")) {
            throw new SavepointFailedException(
                    operation.path("failure-cause").path("class").asText()
                            + ": "
                            + operation.path("failure-cause").path("stack-trace").asText());
        }
        return Optional.of(operation.path("location").asText());
    }

    /** A savepoint that Flink gave up. */
    static final class SavepointFailedException extends IOException {
        SavepointFailedException(String message) {
            super(message);
        }
    }

    /** Asks for the end of the job; its checkpoints stay. */
    void cancel(String job) throws IOException, InterruptedException {
        send("PATCH", "jobs/" + job + "?mode=cancel", "");
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return send("GET", path, "");
    }

    private JsonNode send(String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(root.resolve(path))
                        .timeout(REQUEST_LIMIT)
                        .header("Content-Type", "application/json")
                        .method(
                                method,
                                body.isEmpty()
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofString(body))
                        .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != OK && response.statusCode() != ACCEPTED) {
            throw new IOException(
                    request.uri() + ": status " + response.statusCode() + ", " + response.body());
        }
        return mapper.readTree(response.body());
    }
}
