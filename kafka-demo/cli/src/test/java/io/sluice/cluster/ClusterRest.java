/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the tests ask of a JobManager's REST interface. */
final class ClusterRest {
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
    private static final int OK = 200;

    private final URI root;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(REQUEST_LIMIT).build();
    private final ObjectMapper mapper = new ObjectMapper();

    ClusterRest(String host, int port) {
        root = URI.create("http://" + host + ":" + port + "/");
    }

    /** The resource ids of the TaskManagers that are registered now. */
    Set<String> taskManagers() throws IOException, InterruptedException {
        return texts(get("taskmanagers").path("taskmanagers"), "id");
    }

    /** The status, as in {@code org.apache.flink.api.common.JobStatus}. */
    String jobStatus(String job) throws IOException, InterruptedException {
        return get("jobs/" + job).path("state").asText();
    }

    /** Whether every subtask of every operator of {@code job} runs. */
    boolean allTasksRun(String job) throws IOException, InterruptedException {
        JsonNode tasks = get("jobs/" + job).path("status-counts");
        int others = 0;
        for (JsonNode count : tasks) {
            others += count.asInt();
        }
        others -= tasks.path("RUNNING").asInt();
        if (others > 0) {
            return false;
        }
        for (JsonNode vertex : get("jobs/" + job).path("vertices")) {
            if (vertex.path("tasks").path("RUNNING").asInt()
                    != vertex.path("parallelism").asInt()) {
                return false;
            }
        }
        return true;
    }

    /** The resource ids of the TaskManagers on which subtasks of {@code job} were placed. */
    Set<String> taskManagersOf(String job) throws IOException, InterruptedException {
        Set<String> ids = new TreeSet<>();
        for (JsonNode vertex : get("jobs/" + job).path("vertices")) {
            String path = "jobs/" + job + "/vertices/" + vertex.path("id").asText();
            ids.addAll(texts(get(path + "/taskmanagers").path("taskmanagers"), "taskmanager-id"));
        }
        return ids;
    }

    /** Number of checkpoints of {@code job} that were completed, since it was submitted. */
    int completedCheckpoints(String job) throws IOException, InterruptedException {
        return checkpoints(job).path("counts").path("completed").asInt();
    }

    /** The id of the checkpoint from which {@code job} was last restored, if it ever was. */
    Optional<Long> restoredCheckpoint(String job) throws IOException, InterruptedException {
        JsonNode restored = checkpoints(job).path("latest").path("restored");
        return restored.isObject() ? Optional.of(restored.path("id").asLong()) : Optional.empty();
    }

    /** Whether {@code job} was last restored from a savepoint, not from a checkpoint. */
    boolean restoredFromSavepoint(String job) throws IOException, InterruptedException {
        return checkpoints(job).path("latest").path("restored").path("is_savepoint").asBoolean();
    }

    /** The failures from which {@code job} restarted, and why, for error messages. */
    String exceptions(String job) throws IOException, InterruptedException {
        return get("jobs/" + job + "/exceptions").toPrettyString();
    }

    /** Whether the JobManager answers at all. */
    boolean isUp() throws InterruptedException {
        try {
            get("overview");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private JsonNode checkpoints(String job) throws IOException, InterruptedException {
        return get("jobs/" + job + "/checkpoints");
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(root.resolve(path)).timeout(REQUEST_LIMIT).build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != OK) {
            throw new IOException(
                    request.uri() + ": status " + response.statusCode() + ", " + response.body());
        }
        return mapper.readTree(response.body());
    }

    private static Set<String> texts(JsonNode list, String field) {
        Set<String> texts = new TreeSet<>();
        list.forEach(node -> texts.add(node.path(field).asText()));
        return texts;
    }
}
