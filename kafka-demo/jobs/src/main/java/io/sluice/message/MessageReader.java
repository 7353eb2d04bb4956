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
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Makes {@link KafkaMessage}s of Kafka's records: reads the id and, if it is in a field, the time.
 * No bytes make it throw; only a schema registry that does not answer does. Used by one thread.
 *
 * <p>An id is the text of its fields: bytes as ISO 8859-1, fields in JSON and Avro in the form of
 * {@code Scalars}. Several fields follow each other, each after its length, so no two lists of
 * fields have the same id. Where a field may be in one of several places, its text is that of a
 * string wherever it is: the number 7 in JSON, "7" and the bytes of 7 in a header are one id. An id
 * of more than {@value #MAX_ID} characters is replaced by its SHA-256.
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

    /**
     * One place to look at.
     *
     * @param pointer its number in the {@link Scalars} of its part
     * @param canonical what reads a value without some fields; null if it is something else
     */
    private record Place(Field field, int pointer, @Nullable CanonicalJson canonical) {
        Part part() {
            return field.part();
        }
    }

    private final MessageLayout layout;
    private final TimeReader times;
    private final @Nullable Tombstones tombstones;

    /** For each field of the id, the places where it may be. */
    private final List<List<Place>> id = new ArrayList<>();

    /** For each field of the counter's name, the places where it may be. */
    private final List<List<Place>> counter = new ArrayList<>();

    /** The places where the delta may be; none if it is 1. */
    private final List<Place> delta;

    /** For each field of the machine's key, the places where it may be. */
    private final List<List<Place>> key = new ArrayList<>();

    /** The places where the event may be; none if no machine is followed. */
    private final List<Place> event;

    /** The places where the multiplicity may be; none if it is 1. */
    private final List<Place> multiplicity;

    /** The places where the time may be; none if it is Kafka's. */
    private final List<Place> time;

    /** The fields of each part that has some. */
    private final EnumMap<Part, Scalars> scalars = new EnumMap<>(Part.class);

    /** Parts of the current record that were read, and why they could not be. */
    private final EnumMap<Part, Optional<Problem>> read = new EnumMap<>(Part.class);

    /** Why the field that was asked for last is missing; null if it is just not there. */
    private @Nullable Problem failure;

    private final MessageDigest sha256;
    private final StringBuilder compound = new StringBuilder();

    /** A strict reader for which records without a value are like all others. */
    public MessageReader(
            List<Field> idFields,
            @Nullable Field timeField,
            boolean needsTime,
            TimeFormat format,
            @Nullable SchemaRegistry registry) {
        this(new MessageLayout(idFields, timeField, needsTime, format, registry, null, true));
    }

    public MessageReader(MessageLayout layout) {
        this.layout = layout;
        this.tombstones = layout.tombstones();
        this.times = new TimeReader(layout.format());
        EnumMap<Part, List<List<String>>> pointers = new EnumMap<>(Part.class);
        layout.idFields().forEach(field -> id.add(places(field, pointers)));
        this.time = layout.timeField() == null ? List.of() : places(layout.timeField(), pointers);
        layout.counterFields().forEach(field -> counter.add(places(field, pointers)));
        this.delta =
                layout.deltaField() == null ? List.of() : places(layout.deltaField(), pointers);
        layout.keyFields().forEach(field -> key.add(places(field, pointers)));
        this.event =
                layout.eventField() == null ? List.of() : places(layout.eventField(), pointers);
        this.multiplicity =
                layout.multiplicityField() == null
                        ? List.of()
                        : places(layout.multiplicityField(), pointers);
        SchemaRegistry registry = layout.registry();
        KnownSchemas schemas =
                registry == null ? null : new KnownSchemas(registry, System::nanoTime);
        pointers.forEach(
                (part, fields) ->
                        scalars.put(
                                part,
                                part.isJson()
                                        ? new JsonScalars(fields, layout.strict())
                                        : new AvroScalars(
                                                fields,
                                                requireNonNull(schemas, "registry"),
                                                layout.strict())));
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private static List<Place> places(Field of, EnumMap<Part, List<List<String>>> pointers) {
        List<Place> places = new ArrayList<>();
        for (Field field : of.alternatives()) {
            int pointer = 0;
            if (field.part().isScalar()) {
                List<List<String>> others =
                        pointers.computeIfAbsent(field.part(), unused -> new ArrayList<>());
                pointer = others.size();
                others.add(field.pointer());
            }
            CanonicalJson canonical =
                    field.part() == Part.JSON_WITHOUT ? new CanonicalJson(field.without()) : null;
            places.add(new Place(field, pointer, canonical));
        }
        return places;
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
        String name =
                TOMBSTONE
                        + (tombstones == Tombstones.FORWARD
                                ? record.topic() + '-' + record.partition() + '@' + record.offset()
                                : hash(record.key()));
        long at =
                time.isEmpty() && record.timestamp() >= 0
                        ? times.millis(record.timestamp())
                        : record.timestamp();
        return KafkaMessage.unread(record).with(name, at < 0 ? KafkaMessage.NO_TIME : at);
    }

    private KafkaMessage judge(ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        read.clear();
        failure = null;
        String found = id(record);
        // Where a field has the time, Kafka's is not taken: it may be days ahead, and event time
        // would follow it.
        long at = KafkaMessage.NO_TIME;
        if (time.isEmpty()) {
            at = record.timestamp() < 0 ? at : times.millis(record.timestamp());
        } else if (failure == null) {
            at = time(record);
            found = failure == null ? found : null;
        }
        Problem problem = failure;
        if (problem == null && found == null) {
            problem = Problem.NO_ID;
        } else if (problem == null && at == KafkaMessage.NO_TIME && layout.needsTime()) {
            problem = Problem.NO_TIME;
        }
        KafkaMessage message =
                new KafkaMessage(
                        record.topic(),
                        record.partition(),
                        record.offset(),
                        record.timestamp(),
                        record.key(),
                        record.value(),
                        record.headers().toArray(),
                        found,
                        at,
                        problem);
        if (problem != null) {
            return message;
        }
        if (!event.isEmpty()) {
            return follow(message, record);
        }
        if (!counter.isEmpty()) {
            return count(message, record);
        }
        return multiplicity.isEmpty() ? message : multiply(message, record);
    }

    private KafkaMessage multiply(KafkaMessage message, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        PlainText number = plain(multiplicity, record);
        if (number == null) {
            return message.with(failure == null ? Problem.NO_MULTIPLICITY : failure);
        }
        String text = number.text();
        return text == null ? message.with(Problem.NO_MULTIPLICITY) : Copies.to(message, text);
    }

    private KafkaMessage follow(KafkaMessage message, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        String name = PlainText.bytes(key, places -> plain(places, record));
        if (name == null) {
            return message.with(failure == null ? Problem.NO_MACHINE : failure);
        }
        PlainText its = plain(event, record);
        if (its == null) {
            return message.with(failure == null ? Problem.NO_EVENT : failure);
        }
        String text = its.text();
        return text == null ? message.with(Problem.NO_EVENT) : KeyedEvent.to(message, name, text);
    }

    private KafkaMessage count(KafkaMessage message, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        String name = PlainText.bytes(counter, places -> plain(places, record));
        if (name == null) {
            return message.with(failure == null ? Problem.NO_COUNTER : failure);
        }
        if (delta.isEmpty()) {
            return Addition.to(message, name, null);
        }
        PlainText number = plain(delta, record);
        if (number == null) {
            return message.with(failure == null ? Problem.NO_DELTA : failure);
        }
        String text = number.text();
        return text == null ? message.with(Problem.NO_DELTA) : Addition.to(message, name, text);
    }

    /** Returns what the first place has that has something; null if there is none. */
    @Nullable
    private PlainText plain(List<Place> places, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        for (Place place : places) {
            String text = text(place, record);
            if (text != null) {
                failure = null;
                return new PlainText(place.part(), text);
            }
        }
        return null;
    }

    /** What was found about the times that were read so far. */
    public TimeReader times() {
        return times;
    }

    @Nullable
    private String id(ConsumerRecord<byte[], byte[]> record) throws SchemaRegistryException {
        if (id.size() == 1 && id.get(0).size() == 1) {
            byte[] bytes = bytes(record, id.get(0).get(0).field());
            if (bytes != null && bytes.length > MAX_ID) {
                return hash(bytes);
            }
        }
        compound.setLength(0);
        compound.append(PLAIN);
        for (List<Place> places : id) {
            String text = first(places, record);
            if (text == null) {
                return null;
            }
            if (id.size() > 1) {
                compound.append(text.length()).append(':');
            }
            compound.append(text);
        }
        return compound.length() <= MAX_ID + 1 ? compound.toString() : hash(charBytes());
    }

    /** The text of the first place that has something; null if there is none. */
    @Nullable
    private String first(List<Place> places, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        for (Place place : places) {
            String text = text(place, record);
            if (text != null) {
                failure = null;
                return places.size() == 1 ? text : asString(place.part(), text);
            }
        }
        return null;
    }

    /** The same text wherever it was. */
    private static String asString(Part part, String text) {
        if (part == Part.TOPIC) {
            return Scalars.STRING + text;
        }
        if (part.isBytes()) {
            return Scalars.STRING + IdJson.decoded(text);
        }
        return switch (text.charAt(0)) {
            case Scalars.STRING, Scalars.NUMBER, Scalars.DOCUMENT ->
                    Scalars.STRING + text.substring(1);
            case Scalars.BYTES -> Scalars.STRING + IdJson.decoded(text.substring(1));
            default -> Scalars.STRING + text;
        };
    }

    @Nullable
    private String text(Place place, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        Part part = place.part();
        if (part.isScalar()) {
            Problem problem = read(part, record);
            failure = failure == null ? problem : failure;
            return problem == null ? scalars.get(part).get(place.pointer()) : null;
        }
        if (place.canonical() != null) {
            if (record.value() == null) {
                return null;
            }
            String document = place.canonical().of(record.value());
            failure = document == null && failure == null ? Problem.NOT_JSON : failure;
            return document == null ? null : Scalars.DOCUMENT + document;
        }
        return text(record, place.field());
    }

    /** Reads the fields of a part, once for each record. */
    @Nullable
    private Problem read(Part part, ConsumerRecord<byte[], byte[]> record)
            throws SchemaRegistryException {
        Optional<Problem> before = read.get(part);
        if (before == null) {
            byte[] bytes = part.isInKey() ? record.key() : record.value();
            before = Optional.ofNullable(scalars.get(part).read(bytes));
            read.put(part, before);
        }
        return before.orElse(null);
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

    /** The time in its field; {@link KafkaMessage#NO_TIME} if there is none. */
    private long time(ConsumerRecord<byte[], byte[]> record) throws SchemaRegistryException {
        for (Place place : time) {
            String text = text(place, record);
            if (text != null) {
                failure = null;
                // Without the letter that says what kind of scalar it is.
                return place.part().isScalar()
                        ? times.millis(
                                text.substring(1), scalars.get(place.part()).unit(place.pointer()))
                        : times.millis(text, null);
            }
        }
        return failure != null ? KafkaMessage.NO_TIME : times.millis(null, null);
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
            case TOPIC, JSON, KEY_JSON, AVRO, KEY_AVRO, JSON_WITHOUT, FIRST_OF -> null;
        };
    }
}
