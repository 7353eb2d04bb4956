/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.message.KafkaMessage.Problem;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;

/**
 * The Avro schemas of a registry, each asked for once, the last {@value #MOST} of them. An id that
 * the registry does not know is asked for again after a minute: it may be registered meanwhile, and
 * records with ids that no one has registered must not become a request each. Used by one thread.
 */
final class KnownSchemas {
    static final int MOST = 1000;
    static final Duration ASK_AGAIN = Duration.ofMinutes(1);

    /**
     * What is known of an id: a type, or why there is none.
     *
     * @param askAgain when to ask again, in ns; 0 for never
     */
    record Schema(@Nullable AvroType type, @Nullable Problem problem, long askAgain) {}

    private final SchemaRegistry registry;
    private final LongSupplier nanoTime;

    /** The one that was used last is the last. */
    private final Map<Integer, Schema> known = new LinkedHashMap<>(16, 0.75f, true);

    KnownSchemas(SchemaRegistry registry) {
        this(registry, System::nanoTime);
    }

    /**
     * @param nanoTime the clock
     */
    KnownSchemas(SchemaRegistry registry, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
    }

    /**
     * The schema with this id.
     *
     * @throws SchemaRegistryException if the registry does not answer
     */
    Schema get(int id) throws SchemaRegistryException {
        Schema schema = known.get(id);
        if (schema == null || mayBeKnownNow(schema)) {
            schema = ask(id);
            known.put(id, schema);
            if (known.size() > MOST) {
                known.remove(known.keySet().iterator().next());
            }
        }
        return schema;
    }

    private boolean mayBeKnownNow(Schema schema) {
        return schema.problem() == Problem.UNKNOWN_SCHEMA
                && nanoTime.getAsLong() - schema.askAgain() >= 0;
    }

    private Schema ask(int id) throws SchemaRegistryException {
        Optional<String> answer = registry.schema(id);
        if (answer.isEmpty()) {
            long askAgain = nanoTime.getAsLong() + ASK_AGAIN.toNanos();
            return new Schema(null, Problem.UNKNOWN_SCHEMA, askAgain);
        }
        try {
            AvroType type = parse(answer.get(), new AvroSchemaParser(), new HashSet<>());
            return new Schema(type, null, 0);
        } catch (SchemaRegistryException e) {
            throw e;
        } catch (IOException e) {
            // A schema of Protobuf or JSON, or none: no record with it can be read.
            return new Schema(null, Problem.NOT_AVRO, 0);
        }
    }

    /** Reads the types that a schema names before itself. */
    private AvroType parse(String answer, AvroSchemaParser parser, Set<String> read)
            throws IOException {
        Map<?, ?> fields = fields(answer);
        if (!(fields.get("schema") instanceof String schema)) {
            throw noAnswer(null);
        }
        Object kind = fields.get("schemaType");
        if (kind != null && !kind.equals("AVRO")) {
            throw new IOException("a schema of " + kind);
        }
        if (fields.get("references") instanceof List<?> references) {
            for (Object reference : references) {
                readReferred(reference, parser, read);
            }
        }
        return parser.parse(schema);
    }

    private Map<?, ?> fields(String answer) throws SchemaRegistryException {
        try {
            if (JsonTree.parse(answer) instanceof Map<?, ?> fields) {
                return fields;
            }
        } catch (IOException e) {
            throw noAnswer(e);
        }
        throw noAnswer(null);
    }

    /** As of a proxy for a registry that is down: it says nothing about the schema. */
    private SchemaRegistryException noAnswer(@Nullable IOException cause) {
        return new SchemaRegistryException(
                "the schema registry at "
                        + registry
                        + " answers with something else than a schema: look into its log, or"
                        + " correct --schema-registry",
                cause);
    }

    private void readReferred(Object reference, AvroSchemaParser parser, Set<String> read)
            throws IOException {
        if (!(reference instanceof Map<?, ?> fields
                && fields.get("subject") instanceof String subject
                && fields.get("version") instanceof String version)) {
            throw new IOException("a reference without subject and version");
        }
        if (read.add(subject + '/' + version)) {
            Optional<String> answer = registry.version(subject, version);
            if (answer.isEmpty()) {
                throw new IOException("a reference to a version that there is not");
            }
            AvroType unused = parse(answer.get(), parser, read);
        }
    }
}
