/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.net.http.HttpResponse.BodySubscribers.mapping;
import static java.net.http.HttpResponse.BodySubscribers.ofInputStream;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;

/**
 * Where schemas are: a registry that speaks Confluent's HTTP interface, as Karapace and Apicurio do
 * too. Its text shows no login; its serialized form contains it, like the rest of a job.
 *
 * <p>Confluent's own client is not on Maven Central; Flink's copy of it would bring a second Kafka
 * client and more into the job's jar, for what are three requests.
 */
public final class SchemaRegistry implements Serializable {
    /** Property of a name and a password, with a colon between them. */
    public static final String USER_INFO = "basic.auth.user.info";

    /** Property of a token. */
    public static final String TOKEN = "bearer.auth.token";

    private static final long serialVersionUID = 1L;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String LOGIN = USER_INFO + " or " + TOKEN;
    private static final String AT = "the schema registry at ";
    private static final ObjectMapper JSON = new ObjectMapper(answers());

    private final ArrayList<String> urls;
    private final @Nullable String authorization;
    private final Duration timeout;

    /** Not shared by all: its thread ends when nobody has it, so no task leaves one behind. */
    private transient @Nullable HttpClient client;

    /** Reads no answer of more than 16 MB. */
    private static JsonFactory answers() {
        StreamReadConstraints most =
                StreamReadConstraints.builder().maxDocumentLength(16 << 20).build();
        return JsonFactory.builder().streamReadConstraints(most).build();
    }

    private SchemaRegistry(List<String> urls, @Nullable String authorization, Duration timeout) {
        this.urls = new ArrayList<>(urls);
        this.authorization = authorization;
        this.timeout = timeout;
    }

    /** Returns the same registry, which is given up when an answer takes longer than this. */
    SchemaRegistry withTimeout(Duration longest) {
        return new SchemaRegistry(urls, authorization, longest);
    }

    /**
     * The registry at {@code urls}, of which there may be several, separated by commas: the first
     * that answers is asked.
     *
     * @param properties {@value #USER_INFO} or {@value #TOKEN}, or none
     * @throws IllegalArgumentException if a URL is not one, or contains a login, or a property is
     *     unknown; without the values of properties
     */
    public static SchemaRegistry at(String urls, Map<String, String> properties) {
        List<String> checked = new ArrayList<>();
        for (String url : urls.split(",", -1)) {
            checked.add(checked(url.strip()));
        }
        for (String name : properties.keySet()) {
            if (!name.equals(USER_INFO) && !name.equals(TOKEN)) {
                throw new IllegalArgumentException(
                        name + " is not a property of a schema registry here: give " + LOGIN);
            }
        }
        if (properties.size() > 1) {
            throw new IllegalArgumentException(
                    USER_INFO + " and " + TOKEN + " exclude each other: leave one out");
        }
        String user = properties.get(USER_INFO);
        String token = properties.get(TOKEN);
        return new SchemaRegistry(
                checked,
                token != null
                        ? "Bearer " + checkedToken(token)
                        : user != null
                                ? "Basic "
                                        + Base64.getEncoder().encodeToString(user.getBytes(UTF_8))
                                : null,
                TIMEOUT);
    }

    /** The message is without the text, which may have a password in it. */
    private static String checked(String url) {
        String lacks = "a URL";
        try {
            URI uri = new URI(url);
            if (String.valueOf(uri.getScheme()).matches("(?i)https?") && uri.getHost() != null) {
                if (uri.getRawUserInfo() == null && uri.getRawQuery() == null) {
                    return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
                }
                lacks = "a URL without login and query";
            }
        } catch (URISyntaxException e) {
            // Its message has the text.
        }
        throw new IllegalArgumentException(
                "the schema registry needs " + lacks + ", as in http://localhost:8081");
    }

    /** The JDK would show a header that it does not take. */
    private static String checkedToken(String token) {
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException(
                    TOKEN + " contains a character that no token has, such as a space: correct it");
        }
        return token;
    }

    /**
     * Makes sure that it answers and lets the user in.
     *
     * @throws SchemaRegistryException if not
     */
    public void requireAnswer() throws SchemaRegistryException {
        Optional<JsonNode> unused = get("/schemas/types");
    }

    /** Returns the schema with this id, as a JSON object; empty if there is none. */
    Optional<JsonNode> schema(int id) throws SchemaRegistryException {
        return schema("/schemas/ids/" + Integer.toUnsignedString(id));
    }

    /** Returns a version of a subject, as a JSON object; empty if there is none. */
    Optional<JsonNode> version(String subject, String version) throws SchemaRegistryException {
        return schema(
                "/subjects/" + encoded(subject) + "/versions/" + URLEncoder.encode(version, UTF_8));
    }

    private static String encoded(String subject) {
        return URLEncoder.encode(subject, UTF_8).replace("+", "%20");
    }

    /**
     * Makes sure that a subject has a version with this schema, which Avro's rules of the subject
     * may forbid.
     *
     * @return the id that records with the schema bear
     * @throws SchemaRegistryException if it does not answer, or refuses the schema
     */
    public int register(String subject, String schema) throws SchemaRegistryException {
        String body = JSON.createObjectNode().put("schema", schema).toString();
        JsonNode id =
                ask("/subjects/" + encoded(subject) + "/versions", body)
                        .map(answer -> answer.path("id"))
                        .orElse(MissingNode.getInstance());
        if (!id.canConvertToInt() || !id.isIntegralNumber()) {
            throw problem(toString(), "something else than the id of a schema");
        }
        return id.intValue();
    }

    private Optional<JsonNode> schema(String path) throws SchemaRegistryException {
        Optional<JsonNode> answer = get(path);
        if (answer.isPresent() && !answer.get().path("schema").isTextual()) {
            throw problem(toString(), "something else than a schema");
        }
        return answer;
    }

    private Optional<JsonNode> get(String path) throws SchemaRegistryException {
        return ask(path, null);
    }

    /**
     * Asks one after the other.
     *
     * @param body what is sent there; null if nothing is
     */
    private Optional<JsonNode> ask(String path, @Nullable String body)
            throws SchemaRegistryException {
        SchemaRegistryException failure = null;
        for (String url : urls) {
            try {
                return ask(url, path, body);
            } catch (SchemaRegistryException e) {
                failure = failure == null ? e : failure;
            }
        }
        throw failure;
    }

    private Optional<JsonNode> ask(String url, String path, @Nullable String body)
            throws SchemaRegistryException {
        HttpResponse<JsonNode> answer = send(url, path, body);
        int status = answer.statusCode();
        if (status == 401 || status == 403) {
            String advice = ": correct " + LOGIN + " in --schema-registry-config";
            throw new SchemaRegistryException(AT + url + " refuses the login" + advice);
        }
        // Without a code a proxy may have answered, or the path is not the registry's.
        if (status == 404 && answer.body().has("error_code")) {
            return Optional.empty();
        }
        if (status == 409 && body != null) {
            throw new SchemaRegistryException(
                    AT
                            + url
                            + " refuses the schema ("
                            + answer.body().path("message").asText("incompatible")
                            + "): write to a topic whose subject has no other schema");
        }
        if (status != 200) {
            String why = answer.body().path("message").asText("");
            throw problem(url, "status " + status + (why.isEmpty() ? "" : " (" + why + ")"));
        }
        return Optional.of(answer.body());
    }

    private static SchemaRegistryException problem(String url, String what) {
        String advice = ": look into its log, or correct --schema-registry";
        return new SchemaRegistryException(AT + url + " answers with " + what + advice);
    }

    private HttpResponse<JsonNode> send(String url, String path, @Nullable String body)
            throws SchemaRegistryException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
        request.header("Accept", "application/vnd.schemaregistry.v1+json, application/json");
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        if (body != null) {
            request.header("Content-Type", "application/vnd.schemaregistry.v1+json");
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        if (client == null) {
            // Follows no redirection, which would take the login elsewhere.
            client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
        }
        CompletableFuture<HttpResponse<JsonNode>> answer =
                client.sendAsync(
                        request.build(), head -> mapping(ofInputStream(), SchemaRegistry::json));
        try {
            // A request's own timeout ends with the header of the answer.
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new SchemaRegistryException(
                    "no schema registry answers at "
                            + url
                            + ": start it, or correct --schema-registry",
                    e);
        } finally {
            answer.cancel(true);
        }
    }

    /** Missing if it is not JSON, as of a proxy, or too long. */
    private static JsonNode json(InputStream body) {
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The URLs. */
    @Override
    public String toString() {
        return String.join(",", urls);
    }
}
