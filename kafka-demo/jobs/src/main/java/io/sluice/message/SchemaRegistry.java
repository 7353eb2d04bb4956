/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;

/**
 * Where schemas are: a registry that speaks Confluent's HTTP interface, as Karapace and Apicurio do
 * too. Immutable. Its text shows no login; its serialized form contains it, like the rest of a job.
 *
 * <p>Confluent's own client is not on Maven Central; Flink's copy of it would bring a second Kafka
 * client and more into the job's jar, for what are two requests. Connections are of the JDK's older
 * kind, because those leave no threads behind in a task that has ended.
 */
public final class SchemaRegistry implements Serializable {
    /** Property of a name and a password, with a colon between them. */
    public static final String USER_INFO = "basic.auth.user.info";

    /** Property of a token. */
    public static final String TOKEN = "bearer.auth.token";

    private static final long serialVersionUID = 1L;
    private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(10).toMillis();
    private static final int LARGEST_ANSWER = 16 << 20;
    private static final String CONTENT = "application/vnd.schemaregistry.v1+json";

    private final ArrayList<String> urls;
    private final @Nullable String authorization;

    private SchemaRegistry(List<String> urls, @Nullable String authorization) {
        this.urls = new ArrayList<>(urls);
        this.authorization = authorization;
    }

    /**
     * The registry at {@code urls}, of which there may be several, separated by commas: the first
     * that answers is asked.
     *
     * @param properties {@value #USER_INFO} or {@value #TOKEN}, or none
     * @throws IllegalArgumentException if a URL is none, or contains a login, or a property is
     *     unknown; without the values of properties
     */
    public static SchemaRegistry at(String urls, Map<String, String> properties) {
        List<String> checked = new ArrayList<>();
        for (String url : urls.split(",", -1)) {
            checked.add(checked(url.strip()));
        }
        String authorization = null;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            if (authorization != null) {
                throw new IllegalArgumentException(
                        USER_INFO + " and " + TOKEN + " exclude each other: leave one out");
            }
            authorization =
                    switch (property.getKey()) {
                        case USER_INFO ->
                                "Basic "
                                        + Base64.getEncoder()
                                                .encodeToString(
                                                        property.getValue().getBytes(UTF_8));
                        case TOKEN -> "Bearer " + checkedToken(property.getValue());
                        default ->
                                throw new IllegalArgumentException(
                                        property.getKey()
                                                + " is no property of a schema registry here: give "
                                                + USER_INFO
                                                + " or "
                                                + TOKEN);
                    };
        }
        return new SchemaRegistry(checked, authorization);
    }

    private static String checked(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw noUrl("a URL");
        }
        boolean http = "http".equalsIgnoreCase(uri.getScheme());
        if ((!http && !"https".equalsIgnoreCase(uri.getScheme())) || uri.getHost() == null) {
            throw noUrl("a URL");
        }
        if (uri.getRawUserInfo() != null || uri.getRawQuery() != null) {
            throw noUrl("a URL without login and query");
        }
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    /** The JDK would show a header that it does not take. */
    private static String checkedToken(String token) {
        if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException(
                    TOKEN + " contains a character that no token has, such as a space: correct it");
        }
        return token;
    }

    /** Without the text, which may have a password in it. */
    private static IllegalArgumentException noUrl(String what) {
        return new IllegalArgumentException(
                "the schema registry needs " + what + ", as in http://localhost:8081");
    }

    /**
     * Makes sure that it answers and lets the user in.
     *
     * @throws SchemaRegistryException if not
     */
    public void requireAnswer() throws SchemaRegistryException {
        Optional<String> unused = get("/schemas/types");
    }

    /** The JSON of a schema with this id; empty if there is none. */
    Optional<String> schema(int id) throws SchemaRegistryException {
        return get("/schemas/ids/" + Integer.toUnsignedString(id));
    }

    /** The JSON of a version of a subject; empty if there is none. */
    Optional<String> version(String subject, String version) throws SchemaRegistryException {
        return get(
                "/subjects/"
                        + URLEncoder.encode(subject, UTF_8).replace("+", "%20")
                        + "/versions/"
                        + URLEncoder.encode(version, UTF_8));
    }

    private Optional<String> get(String path) throws SchemaRegistryException {
        SchemaRegistryException failure = null;
        for (String url : urls) {
            try {
                return get(url, path);
            } catch (SchemaRegistryException e) {
                failure = failure == null ? e : failure;
            } catch (IOException e) {
                SchemaRegistryException here =
                        new SchemaRegistryException(
                                "no schema registry answers at "
                                        + url
                                        + ": start it, or correct --schema-registry",
                                e);
                failure = failure == null ? here : failure;
            }
        }
        throw failure;
    }

    private Optional<String> get(String url, String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url + path).toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        // A redirection would take the login elsewhere.
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Accept", CONTENT + ", application/json");
        if (authorization != null) {
            connection.setRequestProperty("Authorization", authorization);
        }
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_OK) {
            try (InputStream body = connection.getInputStream()) {
                return Optional.of(text(body, url));
            }
        }
        String error = "";
        try (InputStream body = connection.getErrorStream()) {
            if (body != null) {
                // All of it, so that the connection can be used again.
                error = new String(body.readNBytes(LARGEST_ANSWER), UTF_8);
            }
        }
        if (status == HttpURLConnection.HTTP_NOT_FOUND && isOfARegistry(error)) {
            return Optional.empty();
        }
        throw switch (status) {
            case HttpURLConnection.HTTP_UNAUTHORIZED, HttpURLConnection.HTTP_FORBIDDEN ->
                    new SchemaRegistryException(
                            "the schema registry at "
                                    + url
                                    + " refuses the login: correct "
                                    + USER_INFO
                                    + " or "
                                    + TOKEN
                                    + " in --schema-registry-config");
            default ->
                    new SchemaRegistryException(
                            "the schema registry at "
                                    + url
                                    + " answers with status "
                                    + status
                                    + ": look into its log, or correct --schema-registry");
        };
    }

    /** Otherwise a proxy may have answered, or the path is not the registry's. */
    private static boolean isOfARegistry(String error) {
        try {
            return JsonTree.parse(error) instanceof Map<?, ?> fields
                    && fields.containsKey("error_code");
        } catch (IOException e) {
            return false;
        }
    }

    private static String text(InputStream body, String url) throws IOException {
        byte[] bytes = body.readNBytes(LARGEST_ANSWER + 1);
        if (bytes.length > LARGEST_ANSWER) {
            throw new SchemaRegistryException(
                    "the schema registry at "
                            + url
                            + " answers with more than "
                            + LARGEST_ANSWER
                            + " bytes: correct --schema-registry");
        }
        return new String(bytes, UTF_8);
    }

    /** The URLs. */
    @Override
    public String toString() {
        return String.join(",", urls);
    }
}
