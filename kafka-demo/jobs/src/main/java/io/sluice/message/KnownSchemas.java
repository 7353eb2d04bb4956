/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.message.KafkaMessage.Problem;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;

/**
 * The Avro schemas of a registry, each asked for once, the last {@value #MOST} of them. An id that
 * the registry does not know is asked for again after a minute: it may be registered meanwhile, and
 * records with ids that no one has registered must not become a request each. Used by one thread.
 */
final class KnownSchemas {
    static final int MOST = 1000;
    static final Duration ASK_AGAIN = Duration.ofMinutes(1);

    /**
     * What is known of an id: a schema, or why there is none.
     *
     * @param askAgain when to ask again, in ns; 0 for never
     */
    record Known(@Nullable Schema schema, @Nullable Problem problem, long askAgain) {}

    private final SchemaRegistry registry;
    private final LongSupplier nanoTime;

    /** The one that was used last is the last. */
    private final Map<Integer, Known> known = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param nanoTime the clock
     */
    KnownSchemas(SchemaRegistry registry, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns what is known of this id.
     *
     * @throws SchemaRegistryException if the registry does not answer
     */
    Known get(int id) throws SchemaRegistryException {
        Known schema = known.get(id);
        if (schema == null
                || (schema.problem() == Problem.UNKNOWN_SCHEMA
                        && nanoTime.getAsLong() - schema.askAgain() >= 0)) {
            schema = ask(id);
            known.put(id, schema);
            if (known.size() > MOST) {
                known.remove(known.keySet().iterator().next());
            }
        }
        return schema;
    }

    private Known ask(int id) throws SchemaRegistryException {
        Optional<JsonNode> answer = registry.schema(id);
        if (answer.isEmpty()) {
            long askAgain = nanoTime.getAsLong() + ASK_AGAIN.toNanos();
            return new Known(null, Problem.UNKNOWN_SCHEMA, askAgain);
        }
        try {
            return new Known(parse(answer.get(), parser(), new HashSet<>()), null, 0);
        } catch (SchemaParseException e) {
            // A schema of Protobuf or JSON, or none: no record with it can be read.
            return new Known(null, Problem.NOT_AVRO, 0);
        }
    }

    /** Reads the types that a schema names before itself. */
    private Schema parse(JsonNode answer, Schema.Parser parser, Set<String> read)
            throws SchemaRegistryException {
        if (!answer.path("schemaType").asText("AVRO").equals("AVRO")) {
            throw new SchemaParseException("not a schema of Avro");
        }
        for (JsonNode reference : answer.path("references")) {
            if (!reference.hasNonNull("subject") || !reference.hasNonNull("version")) {
                throw new SchemaParseException("a reference without subject and version");
            }
            String subject = reference.get("subject").asText();
            String version = reference.get("version").asText();
            if (read.add(subject + '/' + version)) {
                JsonNode referred =
                        registry.version(subject, version)
                                .orElseThrow(() -> new SchemaParseException("a missing reference"));
                Schema unused = parse(referred, parser, read);
            }
        }
        return parse(answer.path("schema").textValue(), parser);
    }

    /** Returns a parser that takes whatever a producer wrote with: it says how the bytes lie. */
    static Schema.Parser parser() {
        return new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false);
    }

    /**
     * Returns the schema that {@code json} declares; it may name those that were parsed before it.
     *
     * @throws SchemaParseException if it is not a schema
     */
    static Schema parse(String json, Schema.Parser parser) {
        try {
            return parser.parse(json);
        } catch (SchemaParseException e) {
            throw e;
        } catch (RuntimeException e) {
            // Some texts make the parser fail with exceptions of the JDK, such as a null name.
            throw new SchemaParseException(e);
        }
    }
}
