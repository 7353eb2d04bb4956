/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.message.Field.Part;
import io.sluice.message.KafkaMessage.Problem;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Makes {@link KafkaMessage}s of Kafka's records: reads the id and, if it is in a field, the time.
 * No bytes make it throw. Used by one thread.
 *
 * <p>An id is the text of its fields: bytes as ISO 8859-1, JSON scalars in the form of {@code
 * JsonScalars}. Several fields follow each other, each after its length, so no two lists of fields
 * have the same id. An id of more than {@value #MAX_ID} characters is replaced by its SHA-256.
 */
public final class MessageReader {
    /** Longer ids are known by their hash. */
    static final int MAX_ID = 128;

    /** The first character of an id that is its own text. */
    static final char PLAIN = '.';

    /** The first character of an id that is a hash. */
    private static final char HASHED = '#';

    private final List<Field> idFields;
    private final @Nullable Field timeField;
    private final boolean needsTime;

    /** Of all JSON fields of the value, the id's and then the time's; null if there are none. */
    private final @Nullable JsonScalars inValue;

    private final @Nullable JsonScalars inKey;
    private final MessageDigest sha256;
    private final StringBuilder compound = new StringBuilder();

    /**
     * @param idFields at least one
     * @param timeField null if Kafka's timestamp is the time
     * @param needsTime whether a record without a time has a problem
     */
    public MessageReader(List<Field> idFields, @Nullable Field timeField, boolean needsTime) {
        this.idFields = List.copyOf(idFields);
        this.timeField = timeField;
        this.needsTime = needsTime;
        this.inValue = scalars(Part.JSON);
        this.inKey = scalars(Part.KEY_JSON);
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    @Nullable
    private JsonScalars scalars(Part part) {
        List<List<String>> pointers = new ArrayList<>();
        for (Field field : idFields) {
            if (field.part() == part) {
                pointers.add(field.pointer());
            }
        }
        if (timeField != null && timeField.part() == part) {
            pointers.add(timeField.pointer());
        }
        return pointers.isEmpty() ? null : new JsonScalars(pointers);
    }

    /** The message of a record. Shares its arrays. */
    public KafkaMessage read(ConsumerRecord<byte[], byte[]> record) {
        Problem problem = null;
        if (inValue != null && !inValue.read(record.value())) {
            problem = Problem.NOT_JSON;
        }
        if (inKey != null && !inKey.read(record.key())) {
            problem = Problem.NOT_JSON;
        }
        String id = null;
        // Where a field has the time, Kafka's is not one: it may be days ahead, and would take
        // event
        // time along.
        long time =
                timeField != null || record.timestamp() < 0
                        ? KafkaMessage.NO_TIME
                        : record.timestamp();
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

    @Nullable
    private String id(ConsumerRecord<byte[], byte[]> record) {
        if (idFields.size() == 1) {
            byte[] bytes = bytes(record, idFields.get(0));
            if (bytes != null && bytes.length > MAX_ID) {
                return hash(bytes);
            }
        }
        int valueScalar = 0;
        int keyScalar = 0;
        compound.setLength(0);
        compound.append(PLAIN);
        for (Field field : idFields) {
            String text =
                    switch (field.part()) {
                        case JSON -> inValue.get(valueScalar++);
                        case KEY_JSON -> inKey.get(keyScalar++);
                        default -> text(record, field);
                    };
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
        String text =
                switch (field.part()) {
                    case JSON -> scalarText(inValue.get(fieldsOf(Part.JSON)));
                    case KEY_JSON -> scalarText(inKey.get(fieldsOf(Part.KEY_JSON)));
                    default -> text(record, field);
                };
        return text == null ? KafkaMessage.NO_TIME : millis(text);
    }

    /** The time's scalar comes after the id's. */
    private int fieldsOf(Part part) {
        int count = 0;
        for (Field field : idFields) {
            if (field.part() == part) {
                count++;
            }
        }
        return count;
    }

    /** Without the letter that says what kind of scalar it is. */
    @Nullable
    private static String scalarText(@Nullable String scalar) {
        return scalar == null ? null : scalar.substring(1);
    }

    private static long millis(String text) {
        try {
            // No ISO date is without a hyphen after its first character.
            return text.indexOf('-', 1) < 0
                    ? Long.parseLong(text)
                    : OffsetDateTime.parse(text).toInstant().toEpochMilli();
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            return KafkaMessage.NO_TIME;
        }
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
            case TOPIC, JSON, KEY_JSON -> null;
        };
    }
}
