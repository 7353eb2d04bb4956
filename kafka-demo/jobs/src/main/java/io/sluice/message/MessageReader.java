/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import io.sluice.message.Field.Part;
import io.sluice.message.KafkaMessage.Problem;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Makes {@link KafkaMessage}s of Kafka's records: reads the id and, if it is in a field, the time.
 * No bytes make it throw; only a schema registry that does not answer does. Used by one thread.
 *
 * <p>An id is the text of its fields: bytes as ISO 8859-1, fields in JSON and Avro in the form of
 * {@code Scalars}. Several fields follow each other, each after its length, so no two lists of
 * fields have the same id. An id of more than {@value #MAX_ID} characters is replaced by its
 * SHA-256.
 */
public final class MessageReader {
    /** Longer ids are known by their hash. */
    static final int MAX_ID = 128;

    /** The first character of an id that is its own text. */
    static final char PLAIN = '.';

    /** The first character of an id that is a hash. */
    private static final char HASHED = '#';

    /** The first character of the id of a record without a value. */
    private static final char TOMBSTONE = '!';

    private final List<Field> idFields;
    private final @Nullable Field timeField;
    private final boolean needsTime;
    private final TimeReader times;
    private final @Nullable Tombstones tombstones;

    /** For each part that has some: the id's fields and then the time's. */
    private final EnumMap<Part, Scalars> scalars = new EnumMap<>(Part.class);

    private final MessageDigest sha256;
    private final StringBuilder compound = new StringBuilder();

    /** A reader for which records without a value are like all others. */
    public MessageReader(
            List<Field> idFields,
            @Nullable Field timeField,
            boolean needsTime,
            TimeFormat format,
            @Nullable SchemaRegistry registry) {
        this(idFields, timeField, needsTime, format, registry, null);
    }

    /**
     * @param idFields at least one
     * @param timeField null if Kafka's timestamp is the time
     * @param needsTime whether a record without a time has a problem
     * @param format how times are read
     * @param registry of the schemas of fields in Avro; null if there are none
     * @param tombstones what records without a value are; null if they are like all others
     */
    public MessageReader(
            List<Field> idFields,
            @Nullable Field timeField,
            boolean needsTime,
            TimeFormat format,
            @Nullable SchemaRegistry registry,
            @Nullable Tombstones tombstones) {
        this.tombstones = tombstones;
        this.idFields = List.copyOf(idFields);
        this.timeField = timeField;
        this.needsTime = needsTime;
        this.times = new TimeReader(format);
        KnownSchemas schemas =
                registry == null ? null : new KnownSchemas(registry, System::nanoTime);
        for (Part part : Part.values()) {
            List<List<String>> pointers = pointers(part);
            if (part.isScalar() && !pointers.isEmpty()) {
                scalars.put(
                        part,
                        part.isJson()
                                ? new JsonScalars(pointers)
                                : new AvroScalars(pointers, requireNonNull(schemas, "registry")));
            }
        }
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private List<List<String>> pointers(Part part) {
        List<List<String>> pointers = new ArrayList<>();
        for (Field field : idFields) {
            if (field.part() == part) {
                pointers.add(field.pointer());
            }
        }
        if (timeField != null && timeField.part() == part) {
            pointers.add(timeField.pointer());
        }
        return pointers;
    }

    /**
     * The message of a record. Shares its arrays.
     *
     * @throws SchemaRegistryException if the registry does not answer
     */
    public KafkaMessage read(ConsumerRecord<byte[], byte[]> record) throws SchemaRegistryException {
        if (tombstones == null || record.key() == null) {
            return judge(record);
        }
        KafkaMessage message = record.value() == null ? tombstone(record) : judge(record);
        return tombstones.pass() && message.id() != null
                ? message.with(KeyOrder.of(message.id(), record.key()), message.time())
                : message;
    }

    /** Its time is Kafka's, since it has no field. */
    private KafkaMessage tombstone(ConsumerRecord<byte[], byte[]> record) {
        String id =
                TOMBSTONE
                        + (tombstones == Tombstones.FORWARD
                                ? record.topic() + '-' + record.partition() + '@' + record.offset()
                                : hash(record.key()));
        long time =
                timeField == null && record.timestamp() >= 0
                        ? times.millis(record.timestamp())
                        : record.timestamp();
        return KafkaMessage.unread(record).with(id, time < 0 ? KafkaMessage.NO_TIME : time);
    }

    private KafkaMessage judge(ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        Problem problem = null;
        for (Map.Entry<Part, Scalars> entry : scalars.entrySet()) {
            Problem found =
                    entry.getValue().read(entry.getKey().isInKey() ? record.key() : record.value());
            problem = problem == null ? found : problem;
        }
        String id = null;
        // Where a field has the time, Kafka's is not taken: it may be days ahead, and event time
        // would follow it.
        long time =
                timeField != null || record.timestamp() < 0
                        ? KafkaMessage.NO_TIME
                        : times.millis(record.timestamp());
        if (problem == null) {
            id = id(record);
            if (timeField != null) {
                time = time(record);
            }
            if (id == null) {
                problem = Problem.NO_ID;
            } else if (time == KafkaMessage.NO_TIME && needsTime) {
                problem = Problem.NO_TIME;
            }
        }
        return new KafkaMessage(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                record.value(),
                record.headers().toArray(),
                id,
                time,
                problem);
    }

    /** What was found about the times that were read so far. */
    public TimeReader times() {
        return times;
    }

    @Nullable
    private String id(ConsumerRecord<byte[], byte[]> record) {
        if (idFields.size() == 1) {
            byte[] bytes = bytes(record, idFields.get(0));
            if (bytes != null && bytes.length > MAX_ID) {
                return hash(bytes);
            }
        }
        compound.setLength(0);
        compound.append(PLAIN);
        for (int i = 0; i < idFields.size(); i++) {
            Field field = idFields.get(i);
            String text =
                    field.part().isScalar()
                            ? scalars.get(field.part()).get(fieldsOf(field.part(), i))
                            : text(record, field);
            if (text == null) {
                return null;
            }
            if (idFields.size() > 1) {
                compound.append(text.length()).append(':');
            }
            compound.append(text);
        }
        return compound.length() <= MAX_ID + 1 ? compound.toString() : hash(charBytes());
    }

    private String hash(byte[] bytes) {
        return HASHED + new String(sha256.digest(bytes), ISO_8859_1);
    }

    /** Two bytes a character: a charset would make all lone surrogates the same. */
    private byte[] charBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(Character.BYTES * compound.length());
        bytes.asCharBuffer().append(compound);
        return bytes.array();
    }

    /** The time in the time's field; {@link KafkaMessage#NO_TIME} if there is none. */
    private long time(ConsumerRecord<byte[], byte[]> record) {
        Field field = timeField;
        Part part = field.part();
        if (!part.isScalar()) {
            return times.millis(text(record, field), null);
        }
        Scalars of = scalars.get(part);
        int pointer = fieldsOf(part, idFields.size());
        String scalar = of.get(pointer);
        // Without the letter that says what kind of scalar it is.
        return times.millis(scalar == null ? null : scalar.substring(1), of.unit(pointer));
    }

    /** How many of the id's first {@code fields} are of that part; the time's comes after them. */
    private int fieldsOf(Part part, int fields) {
        int count = 0;
        for (int i = 0; i < fields; i++) {
            if (idFields.get(i).part() == part) {
                count++;
            }
        }
        return count;
    }

    @Nullable
    private static String text(ConsumerRecord<byte[], byte[]> record, Field field) {
        if (field.part() == Part.TOPIC) {
            return record.topic();
        }
        byte[] bytes = bytes(record, field);
        return bytes == null ? null : new String(bytes, ISO_8859_1);
    }

    /** Null if there are none, or the field is not one of bytes. */
    @Nullable
    private static byte[] bytes(ConsumerRecord<byte[], byte[]> record, Field field) {
        return switch (field.part()) {
            case KEY -> record.key();
            case VALUE -> record.value();
            case HEADER -> {
                Header header = record.headers().lastHeader(field.header());
                yield header == null ? null : header.value();
            }
            case TOPIC, JSON, KEY_JSON, AVRO, KEY_AVRO -> null;
        };
    }
}
