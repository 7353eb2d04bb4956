/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/** A schema registry of a few requests: schemas by id, versions of subjects, and kinds. */
public final class FakeRegistry implements AutoCloseable {
    static {
        // Otherwise each answer waits 40 ms for an acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Map<String, Integer> ids = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile String authorization;
    private volatile int failure;
    private volatile boolean stalled;
    private volatile boolean refusesSchemas;
    private volatile String error = "{\"error_code\":40403,\"message\":\"none\"}";

    private FakeRegistry(HttpServer server) {
        this.server = server;
    }

    /** One at a free port. */
    public static FakeRegistry start() throws IOException {
        InetAddress local = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(local, 0), 0);
        FakeRegistry registry = new FakeRegistry(server);
        server.createContext("/", registry::answer);
        server.start();
        registry.answers.put("/schemas/types", "[\"AVRO\"]");
        return registry;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        requests.add(path);
        String login = exchange.getRequestHeaders().getFirst("Authorization");
        if (exchange.getRequestMethod().equals("POST")) {
            register(path, exchange.getRequestBody().readAllBytes());
        }
        String answer = answers.get(path);
        int status = failure != 0 ? failure : answer == null ? 404 : 200;
        if (refusesSchemas && exchange.getRequestMethod().equals("POST")) {
            status = 409;
        }
        if (authorization != null && !authorization.equals(login)) {
            status = 401;
        }
        byte[] body = (status == 200 ? answer : error).getBytes(UTF_8);
        if (stalled) {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body, 0, body.length - 1);
            exchange.getResponseBody().flush();
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** A schema gets the next id; the same schema of a subject gets the same one. */
    private void register(String path, byte[] body) throws IOException {
        String schema = new ObjectMapper().readTree(body).path("schema").asText();
        int id = ids.computeIfAbsent(path + ' ' + schema, unused -> 100 + ids.size());
        put(id, schema);
        answer(path, "{\"id\":" + id + "}");
    }

    /** Where it is. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Registers an Avro schema. */
    public void put(int id, String schema) {
        answer("/schemas/ids/" + id, "{\"schema\":" + quoted(schema) + "}");
    }

    /** Sets what it answers. */
    void answer(String path, String json) {
        answers.put(path, json);
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** From now on it wants this login. */
    public void require(String newAuthorization) {
        authorization = newAuthorization;
    }

    /** From now on it answers everything with this status; 0 for as it should. */
    void fail(int status) {
        failure = status;
    }

    /** From now on it takes no schema. */
    public void refuseSchemas() {
        refusesSchemas = true;
    }

    /** Returns the schema with this id. */
    public String schema(int id) throws IOException {
        return new ObjectMapper()
                .readTree(answers.get("/schemas/ids/" + id))
                .path("schema")
                .asText();
    }

    /** From now on no answer ends. */
    void stall() {
        stalled = true;
    }

    /** What it says beside a status that is not 200. */
    void explain(String body) {
        error = body;
    }

    public List<String> requests() {
        return requests;
    }

    /** A value in the form of its serializers: a zero, the schema's id, and its bytes. */
    public static byte[] framed(int id, byte... avro) {
        return ByteBuffer.allocate(5 + avro.length).put((byte) 0).putInt(id).put(avro).array();
    }

    /** Reads a result as a consumer of Avro does that knows nothing of the jobs. */
    public GenericRecord decoded(byte[] value) throws IOException {
        ByteBuffer framed = ByteBuffer.wrap(value);
        assertThat(framed.get()).isZero();
        Schema schema = new Schema.Parser().parse(schema(framed.getInt()));
        assertThat(schema.getField("timestamp").schema().getLogicalType().getName())
                .isEqualTo("timestamp-millis");
        return new GenericDatumReader<GenericRecord>(schema)
                .read(
                        null,
                        DecoderFactory.get()
                                .binaryDecoder(value, framed.position(), framed.remaining(), null));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
