/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.message.KafkaMessage.Problem;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is asked of a registry, how often, and what becomes of its answers. */
class SchemaRegistryTest {
    private final AtomicLong clock = new AtomicLong();
    private FakeRegistry registry;

    @BeforeEach
    void start() throws IOException {
        registry = FakeRegistry.start();
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    private KnownSchemas schemas() {
        return new KnownSchemas(SchemaRegistry.at(registry.url() + "/", Map.of()), clock::get);
    }

    @Test
    void aSchemaIsAskedForOnceAndAnUnknownOneAgainAfterAMinute() throws IOException {
        registry.put(1, "\"long\"");
        KnownSchemas schemas = schemas();
        for (int i = 0; i < 3; i++) {
            assertThat(schemas.get(1).schema().getType()).isEqualTo(Schema.Type.LONG);
            assertThat(schemas.get(2).problem()).isEqualTo(Problem.UNKNOWN_SCHEMA);
        }
        assertThat(registry.requests()).containsExactly("/schemas/ids/1", "/schemas/ids/2");
        registry.put(2, "\"int\"");
        clock.addAndGet(KnownSchemas.ASK_AGAIN.toNanos() - 1);
        assertThat(schemas.get(2).schema()).isNull();
        clock.addAndGet(1);
        assertThat(schemas.get(2).schema().getType()).isEqualTo(Schema.Type.INT);
    }

    @Test
    void noMoreSchemasAreKeptThanTheLast() throws IOException {
        registry.put(1, "\"long\"");
        KnownSchemas schemas = schemas();
        assertThat(schemas.get(1).schema()).isNotNull();
        for (int id = 2; id < KnownSchemas.MOST + 1; id++) {
            assertThat(schemas.get(id).schema()).isNull();
            assertThat(schemas.get(1).schema()).isNotNull();
        }
        int asked = registry.requests().size();
        assertThat(schemas.get(-1).schema()).isNull();
        assertThat(schemas.get(1).schema()).as("used all the time").isNotNull();
        assertThat(registry.requests()).hasSize(asked + 1);
        assertThat(schemas.get(2).schema()).isNull();
        assertThat(registry.requests()).as("the oldest").hasSize(asked + 2);
    }

    @Test
    void typesThatASchemaRefersToAreReadFirst() throws IOException {
        registry.answer(
                "/schemas/ids/1",
                "{\"schema\":"
                        + FakeRegistry.quoted(
                                "{\"type\":\"record\",\"name\":\"a.Order\",\"fields\":["
                                        + "{\"name\":\"id\",\"type\":\"Id\"}]}")
                        + ",\"references\":[{\"name\":\"a.Id\",\"subject\":\"i"
                        + " d\",\"version\":3}]}");
        registry.answer(
                "/subjects/i%20d/versions/3",
                "{\"schema\":"
                        + FakeRegistry.quoted(
                                "{\"type\":\"fixed\",\"name\":\"Id\",\"namespace\":\"a\",\"size\":2}")
                        + "}");
        Schema order = schemas().get(1).schema();
        assertThat(order.getFields()).extracting(Schema.Field::name).containsExactly("id");
        assertThat(order.getField("id").schema().getFixedSize()).isEqualTo(2);
    }

    @Test
    void aReferenceThatIsMissingOrNamesNothingIsAProblem() throws IOException {
        for (String reference :
                List.of("{\"subject\":\"a\",\"version\":1}", "{\"subject\":\"a\"}", "7")) {
            registry.answer(
                    "/schemas/ids/1",
                    "{\"schema\":\"\\\"long\\\"\",\"references\":[" + reference + "]}");
            assertThat(schemas().get(1).problem()).as(reference).isEqualTo(Problem.NOT_AVRO);
        }
    }

    @Test
    void aRegistryThatDoesNotAnswerIsNoFaultOfTheRecord() throws IOException {
        MessageReader reader =
                new MessageReader(
                        List.of(Field.parse("avro:/id")),
                        null,
                        false,
                        TimeFormat.DEFAULT,
                        SchemaRegistry.at(registry.url(), Map.of()));
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("in", 0, 0, null, FakeRegistry.framed(1, (byte) 2));
        registry.fail(503);
        assertThatThrownBy(() -> reader.read(record))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageContaining("answers with status 503");
        registry.fail(0);
        assertThat(reader.read(record).problem()).isEqualTo(Problem.UNKNOWN_SCHEMA);
        registry.close();
        assertThatThrownBy(() -> schemas().get(9))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageStartingWith("no schema registry answers at " + registry.url());
    }

    /** A proxy whose registry is down: what it says for a moment must not be believed for ever. */
    @Test
    void anAnswerThatIsNoneOfARegistryIsNoFaultOfTheRecordEither() throws IOException {
        KnownSchemas schemas = schemas();
        for (String answer : List.of("<html>", "", "[]", "{}", "{\"schema\":{}}")) {
            registry.answer("/schemas/ids/1", answer);
            assertThatThrownBy(() -> schemas.get(1))
                    .as(answer)
                    .isInstanceOf(SchemaRegistryException.class)
                    .hasMessageContaining(registry.url());
        }
        registry.put(1, "\"long\"");
        assertThat(schemas.get(1).schema().getType()).isEqualTo(Schema.Type.LONG);
        registry.explain("<html>no such page</html>");
        assertThatThrownBy(() -> schemas.get(2))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageContaining(registry.url())
                .hasMessageContaining("--schema-registry");
    }

    @Test
    void anAnswerThatIsTooLongOrDoesNotEndIsNoFaultOfTheRecordEither() throws IOException {
        KnownSchemas schemas = schemas();
        registry.answer("/schemas/ids/1", "{\"schema\":\"\\\"long\\\"\"}" + " ".repeat(17 << 20));
        assertThat(schemas.get(1).schema()).as("nothing follows the schema").isNotNull();
        registry.answer("/schemas/ids/2", "{\"a\":" + "1,".repeat(17 << 20));
        registry.answer("/schemas/ids/3", "[".repeat(17 << 20));
        for (int id : new int[] {2, 3}) {
            assertThatThrownBy(() -> schemas.get(id))
                    .isInstanceOf(SchemaRegistryException.class)
                    .hasMessageContaining("something else than a schema");
        }
        registry.stall();
        KnownSchemas impatient =
                new KnownSchemas(
                        SchemaRegistry.at(registry.url(), Map.of())
                                .withTimeout(Duration.ofMillis(200)),
                        clock::get);
        assertThatThrownBy(() -> impatient.get(4))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageStartingWith("no schema registry answers at " + registry.url())
                .hasCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void ofSeveralTheFirstThatAnswersIsAsked() throws IOException {
        registry.put(1, "\"long\"");
        String urls = "http://127.0.0.1:1," + registry.url();
        assertThat(SchemaRegistry.at(urls, Map.of()).schema(1)).isPresent();
        assertThatThrownBy(
                        () ->
                                SchemaRegistry.at("http://127.0.0.1:1,http://127.0.0.1:2", Map.of())
                                        .requireAnswer())
                .hasMessageContaining("127.0.0.1:1");
    }

    @Test
    void theLoginIsSentAndNeverTold() throws IOException {
        registry.require(
                "Basic " + Base64.getEncoder().encodeToString("alice:s3cret".getBytes(UTF_8)));
        SchemaRegistry right =
                SchemaRegistry.at(registry.url(), Map.of(SchemaRegistry.USER_INFO, "alice:s3cret"));
        right.requireAnswer();
        assertThat(right.toString()).isEqualTo(registry.url());
        assertThatThrownBy(
                        () ->
                                SchemaRegistry.at(
                                                registry.url(),
                                                Map.of(SchemaRegistry.TOKEN, "s3cret"))
                                        .requireAnswer())
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageContaining("refuses the login")
                .hasMessageNotContaining("s3cret");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaRegistry.at("http://a:s3cret@b:1", Map.of()))
                .withMessageContaining("without login")
                .withMessageNotContaining("s3cret");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaRegistry.at("localhost:8081", Map.of()))
                .withMessageContaining("http://localhost:8081");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaRegistry.at("http://a", Map.of("user", "s3cret")))
                .withMessageContaining("user is not a property")
                .withMessageNotContaining("s3cret");
    }

    /** The JDK says which header it does not take. */
    @Test
    void aTokenThatNoHeaderTakesIsNotTold() {
        for (String token : List.of("s3cret\n", "s3cret\r\nX: y", "s3cret\u20ac")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    SchemaRegistry.at(
                                                    registry.url(),
                                                    Map.of(SchemaRegistry.TOKEN, token))
                                            .requireAnswer())
                    .withMessageContaining(SchemaRegistry.TOKEN)
                    .withMessageNotContaining("s3cret");
        }
    }

    @Test
    void aSchemaThatIsRegisteredTwiceHasOneId() throws IOException {
        SchemaRegistry asked = SchemaRegistry.at(registry.url(), Map.of());
        int id = asked.register("page counters-value", "\"long\"");
        assertThat(asked.register("page counters-value", "\"long\"")).isEqualTo(id);
        assertThat(asked.register("others-value", "\"long\"")).isNotEqualTo(id);
        assertThat(registry.requests())
                .startsWith("/subjects/page%20counters-value/versions")
                .hasSize(3);
        assertThat(schemas().get(id).schema().getType()).isEqualTo(Schema.Type.LONG);
    }

    @Test
    void aSchemaThatTheSubjectForbidsAndALoginThatMayNotWriteAreTold() {
        SchemaRegistry asked = SchemaRegistry.at(registry.url(), Map.of());
        registry.explain("{\"error_code\":409,\"message\":\"a field was removed\"}");
        registry.fail(409);
        assertThatThrownBy(() -> asked.register("counters-value", "\"long\""))
                .isInstanceOf(SchemaRegistryException.class)
                .hasMessageContaining("refuses the schema (a field was removed)");
        registry.fail(403);
        assertThatThrownBy(() -> asked.register("counters-value", "\"long\""))
                .hasMessageContaining("refuses the login");
        registry.fail(503);
        assertThatThrownBy(() -> asked.register("counters-value", "\"long\""))
                .hasMessageContaining("status 503");
    }
}
