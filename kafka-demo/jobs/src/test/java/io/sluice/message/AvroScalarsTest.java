/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.message.KafkaMessage.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is read of Avro, as Apache Avro's own library writes it, and of bytes that are none. */
class AvroScalarsTest {
    private FakeRegistry registry;
    private int ids;

    @BeforeEach
    void start() throws IOException {
        registry = FakeRegistry.start();
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    private AvroScalars scalars(String... pointers) {
        return scalars(true, pointers);
    }

    private AvroScalars scalars(boolean strict, String... pointers) {
        List<List<String>> steps =
                Stream.of(pointers).map(text -> Field.parse("avro:" + text).pointer()).toList();
        return new AvroScalars(
                steps,
                new KnownSchemas(SchemaRegistry.at(registry.url(), Map.of()), System::nanoTime),
                strict);
    }

    private byte[] value(Schema schema, Object datum, boolean blocks) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder =
                blocks
                        ? new EncoderFactory()
                                .configureBlockSize(64)
                                .blockingBinaryEncoder(out, null)
                        : EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<Object>(schema).write(datum, encoder);
        encoder.flush();
        registry.put(++ids, schema.toString());
        return FakeRegistry.framed(ids, out.toByteArray());
    }

    private String read(Schema schema, Object datum, String pointer) throws IOException {
        AvroScalars scalars = scalars(pointer);
        assertThat(scalars.read(value(schema, datum, false))).isNull();
        return scalars.get(0);
    }

    @Test
    void scalarsHaveTheTextThatTheyHaveInJson() throws IOException {
        Schema.Type[] numbers = {Schema.Type.INT, Schema.Type.LONG};
        for (Schema.Type type : numbers) {
            Object seven = type == Schema.Type.INT ? (Object) 7 : (Object) 7L;
            assertThat(read(Schema.create(type), seven, "")).isEqualTo("n7");
        }
        assertThat(read(Schema.create(Schema.Type.DOUBLE), 7.0, "")).isEqualTo("n7");
        assertThat(read(Schema.create(Schema.Type.FLOAT), -0.5f, "")).isEqualTo("n-5e-1");
        assertThat(read(Schema.create(Schema.Type.DOUBLE), Double.NaN, "")).isNull();
        assertThat(read(Schema.create(Schema.Type.STRING), "\u20ac", "")).isEqualTo("s\u20ac");
        assertThat(read(Schema.create(Schema.Type.BOOLEAN), false, "")).isEqualTo("false");
        assertThat(read(Schema.create(Schema.Type.NULL), null, "")).isNull();
        JsonScalars json = new JsonScalars(List.of(List.of("a")), true);
        for (long number : new long[] {Long.MIN_VALUE, -1, 0, 10L << 40, Long.MAX_VALUE}) {
            assertThat(json.read(("{\"a\":" + number + "}").getBytes(ISO_8859_1))).isNull();
            assertThat(read(Schema.create(Schema.Type.LONG), number, "")).isEqualTo(json.get(0));
        }
    }

    @Test
    void aTimeIsInTheUnitOfItsLogicalTypeAndAnIdIsNot() throws IOException {
        long millis = 1_764_115_200_123L;
        Map<String, Long> units =
                Map.of(
                        "timestamp-millis", 1L,
                        "timestamp-micros", 1_000L,
                        "local-timestamp-micros", 1_000L,
                        "timestamp-nanos", 1_000_000L);
        for (Map.Entry<String, Long> unit : units.entrySet()) {
            Schema type = Schema.create(Schema.Type.LONG);
            type.addProp("logicalType", unit.getKey());
            Schema schema =
                    SchemaBuilder.record("R")
                            .fields()
                            .name("at")
                            .type(Schema.createUnion(Schema.create(Schema.Type.NULL), type))
                            .noDefault()
                            .endRecord();
            GenericData.Record record = new GenericData.Record(schema);
            long stored = millis * unit.getValue() + unit.getValue() - 1;
            record.put("at", stored);
            Field at = Field.parse("avro:/at");
            MessageReader reader =
                    new MessageReader(
                            List.of(at),
                            at,
                            true,
                            TimeFormat.DEFAULT,
                            SchemaRegistry.at(registry.url(), Map.of()));
            KafkaMessage message =
                    reader.read(
                            new ConsumerRecord<>("in", 0, 0, null, value(schema, record, false)));
            assertThat(message.problem()).isNull();
            assertThat(message.time()).as(unit.getKey()).isEqualTo(millis);
            assertThat(new IdJson(List.of(at)).json(message.id()))
                    .satisfies(
                            json ->
                                    assertThat(new BigDecimal(json).longValueExact())
                                            .isEqualTo(stored));
        }
    }

    @Test
    void whatFollowsTheLastScalarIsNotReadUnlessTheValueIsToBeRight() throws IOException {
        Schema schema =
                SchemaBuilder.record("R")
                        .fields()
                        .requiredString("a")
                        .requiredString("b")
                        .requiredString("c")
                        .endRecord();
        GenericData.Record record = new GenericData.Record(schema);
        record.put("a", "1");
        record.put("b", "2");
        record.put("c", "3");
        byte[] value = value(schema, record, false);
        value[value.length - 2] = 100;
        assertThat(scalars("/b", "/a").read(value)).isEqualTo(Problem.NOT_AVRO);
        AvroScalars two = scalars(false, "/b", "/a");
        assertThat(two.read(value)).isNull();
        assertThat(two.get(0)).isEqualTo("s2");
        assertThat(two.get(1)).isEqualTo("s1");
        assertThat(scalars(false, "/c").read(value)).isEqualTo(Problem.NOT_AVRO);
        byte[] longer = value(schema, record, false);
        longer = Arrays.copyOf(longer, longer.length + 1);
        assertThat(scalars("/c").read(longer)).isEqualTo(Problem.NOT_AVRO);
        assertThat(scalars(false, "/c").read(longer)).isNull();
        assertThat(scalars("/none").read(value)).isEqualTo(Problem.NOT_AVRO);
    }

    /** Lengths and depths that only bytes claim. */
    @Test
    void hostileBytesTakeNeitherMemoryNorTime() throws IOException {
        registry.put(1, "\"string\"");
        byte[] long2g = {-1, -1, -1, -1, 15};
        assertThat(scalars("").read(FakeRegistry.framed(1, long2g))).isEqualTo(Problem.NOT_AVRO);
        registry.put(2, "{\"type\":\"array\",\"items\":\"null\"}");
        byte[] elements = {-2, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0};
        assertThat(scalars("/1").read(FakeRegistry.framed(2, elements)))
                .isEqualTo(Problem.NOT_AVRO);
        registry.put(
                3,
                "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"r\",\"type\":\"R\"}]}");
        assertThat(scalars("/r/x").read(FakeRegistry.framed(3))).isEqualTo(Problem.NOT_AVRO);
        StringBuilder doubled = new StringBuilder("\"null\"");
        for (int i = 0; i < 100; i++) {
            String inner = doubled.toString();
            doubled.setLength(0);
            doubled.append("{\"type\":\"record\",\"name\":\"D" + i + "\",\"fields\":[")
                    .append("{\"name\":\"a\",\"type\":" + inner + "},")
                    .append("{\"name\":\"b\",\"type\":")
                    .append(i == 0 ? "\"null\"" : "\"D" + (i - 1) + "\"")
                    .append("}]}");
        }
        registry.put(5, doubled.toString());
        assertThat(scalars("/x").read(FakeRegistry.framed(5)))
                .as("2^100 values of no bytes")
                .isEqualTo(Problem.NOT_AVRO);
        registry.put(
                4,
                "{\"type\":\"record\",\"name\":\"L\",\"fields\":[{\"name\":\"next\","
                        + "\"type\":[\"null\",\"L\"]}]}");
        byte[] deep = new byte[100_000];
        Arrays.fill(deep, (byte) 2);
        assertThat(scalars("/x").read(FakeRegistry.framed(4, deep))).isEqualTo(Problem.NOT_AVRO);
    }

    /** Avro's binary form of an int or a long, as a length or a count. */
    private static byte[] zigzag(long number) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        encoder.writeLong(number);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    /** Refuses the value, both read and skipped, and allocates no more than so few bytes may. */
    private void isRefused(String schema, byte[] value) throws IOException {
        registry.put(
                ++ids,
                "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"v\",\"type\":"
                        + schema
                        + "},{\"name\":\"last\",\"type\":\"boolean\"}]}");
        for (String pointer : List.of("/v", "/v/99", "/v/k", "/last")) {
            AvroScalars scalars = scalars(pointer);
            byte[] framed = FakeRegistry.framed(ids, value);
            assertThat(scalars.read(framed))
                    .as(schema + ", " + value.length + " bytes, for " + pointer)
                    .isEqualTo(Problem.NOT_AVRO);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(scalars.read(framed)).isEqualTo(Problem.NOT_AVRO);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as(schema + ", " + value.length + " bytes, for " + pointer)
                    .isLessThan(16 << 20);
        }
    }

    @Test
    void aLengthBeyondTheBytesThatAreThereIsRefused() throws IOException {
        for (long length : new long[] {3, 1 << 30, Integer.MAX_VALUE, 1L << 40, -1, -1L << 40}) {
            byte[] two = joined(zigzag(length), new byte[2]);
            isRefused("\"string\"", two);
            isRefused("\"bytes\"", two);
            isRefused("{\"type\":\"map\",\"values\":\"null\"}", joined(zigzag(1), two));
        }
        isRefused("{\"type\":\"fixed\",\"name\":\"F\",\"size\":" + (1 << 30) + "}", new byte[20]);
    }

    /** Elements that take no bytes are as many as a count says, and blocks may be many. */
    @Test
    void aCountBeyondTheBytesThatAreThereIsRefused() throws IOException {
        String empty = "{\"type\":\"record\",\"name\":\"E\",\"fields\":[]}";
        for (String element : List.of("\"null\"", empty)) {
            String array = "{\"type\":\"array\",\"items\":" + element + "}";
            isRefused(array, zigzag(1 << 30));
            isRefused(array, zigzag(Long.MAX_VALUE));
            isRefused(array, zigzag(Long.MIN_VALUE));
            isRefused(array, joined(zigzag(-1), zigzag(-1), new byte[2]));
            byte[][] blocks = new byte[100][];
            Arrays.fill(blocks, zigzag(1 << 20));
            isRefused(array, joined(blocks));
        }
        isRefused("{\"type\":\"array\",\"items\":\"int\"}", joined(zigzag(1 << 30), new byte[9]));
        isRefused("{\"type\":\"map\",\"values\":\"null\"}", joined(zigzag(1 << 30), new byte[9]));
        isRefused("{\"type\":\"array\",\"items\":\"int\"}", joined(zigzag(-1), zigzag(1 << 30)));
    }

    @Test
    void aNumberThatNamesNoBranchOrSymbolIsRefused() throws IOException {
        for (long index : new long[] {-1, 2, Integer.MAX_VALUE, 1L << 32}) {
            isRefused("[\"null\",\"string\"]", joined(zigzag(index), new byte[1]));
        }
        registry.put(++ids, "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}");
        assertThat(scalars("").read(FakeRegistry.framed(ids, zigzag(1)))).isNull();
        for (long symbol : new long[] {-1, 2, Integer.MAX_VALUE, 1L << 32}) {
            assertThat(scalars("").read(FakeRegistry.framed(ids, zigzag(symbol))))
                    .isEqualTo(Problem.NOT_AVRO);
        }
        byte[] endless = new byte[11];
        Arrays.fill(endless, (byte) -1);
        isRefused("\"int\"", endless);
        isRefused("\"long\"", endless);
    }

    /** Which Avro's own decoder takes for another value. */
    @Test
    void aScalarThatItsTypeDoesNotHaveIsRefused() throws IOException {
        registry.put(++ids, "\"boolean\"");
        for (int value : new int[] {-1, 2}) {
            assertThat(scalars("").read(FakeRegistry.framed(ids, (byte) value)))
                    .isEqualTo(Problem.NOT_AVRO);
        }
        registry.put(++ids, "\"int\"");
        for (long value : new long[] {1L << 31, (-1L << 31) - 1, 1L << 40}) {
            assertThat(scalars("").read(FakeRegistry.framed(ids, zigzag(value))))
                    .isEqualTo(Problem.NOT_AVRO);
        }
    }

    @Test
    void hostileSchemasAreProblems() throws IOException {
        String deep = "{\"type\":\"array\",\"items\":".repeat(100_000);
        for (String schema :
                List.of(
                        deep,
                        "[".repeat(100_000),
                        "{\"type\":\"fixed\",\"name\":\"F\",\"size\":-1}",
                        "{\"type\":\"fixed\",\"name\":\"F\",\"size\":4294967297}",
                        "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"int\","
                            + "\"order\":7}]}",
                        "\"R\"",
                        "")) {
            registry.put(++ids, schema);
            assertThat(scalars("").read(FakeRegistry.framed(ids, new byte[9])))
                    .as(schema.substring(0, Math.min(99, schema.length())))
                    .isEqualTo(Problem.NOT_AVRO);
        }
    }

    @Test
    void otherFormsAndOtherSchemasAreProblems() throws IOException {
        registry.put(1, "\"string\"");
        registry.answer("/schemas/ids/2", "{\"schemaType\":\"PROTOBUF\",\"schema\":\"x\"}");
        registry.put(3, "{\"type\":\"record\"}");
        registry.put(4, "{");
        assertThat(scalars("").read(new byte[] {1, 0, 0, 0, 1, 0})).isEqualTo(Problem.NOT_AVRO);
        assertThat(scalars("").read(new byte[4])).isEqualTo(Problem.NOT_AVRO);
        for (int id = 2; id <= 4; id++) {
            assertThat(scalars("").read(FakeRegistry.framed(id, (byte) 0)))
                    .isEqualTo(Problem.NOT_AVRO);
        }
        assertThat(scalars("").read(FakeRegistry.framed(-7))).isEqualTo(Problem.UNKNOWN_SCHEMA);
        assertThat(registry.requests()).contains("/schemas/ids/4294967289");
        assertThat(scalars("").read((byte[]) null)).isNull();
        assertThat(scalars("").read(FakeRegistry.framed(1, (byte) 2, (byte) 0xff)))
                .as("no UTF-8")
                .isEqualTo(Problem.NOT_AVRO);
    }

    /** Random schemas and data, and what is at every place of them. */
    private static final class RandomAvro {
        private final SplitMix64 random;
        private final List<Schema> named = new ArrayList<>();

        RandomAvro(SplitMix64 random) {
            this.random = random;
        }

        /** A record with several of them. */
        Schema record() {
            List<Schema.Field> fields = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                fields.add(new Schema.Field("root" + i, schema(3)));
            }
            return Schema.createRecord("Root", null, "a.b0", false, fields);
        }

        private Schema schema(int depth) {
            List<Schema.Type> kinds = List.of(Schema.Type.values());
            Schema.Type type = kinds.get(random.nextInt(kinds.size()));
            boolean nested =
                    switch (type) {
                        case RECORD, ARRAY, MAP, UNION -> true;
                        default -> false;
                    };
            if (nested && depth == 0) {
                return Schema.create(Schema.Type.LONG);
            }
            if (!named.isEmpty() && random.nextInt(8) == 0) {
                return named.get(random.nextInt(named.size()));
            }
            String name = "N" + named.size();
            String space = random.nextInt(2) == 0 ? null : "a.b" + random.nextInt(2);
            return switch (type) {
                case RECORD -> {
                    List<Schema.Field> fields = new ArrayList<>();
                    int count = random.nextInt(5);
                    for (int i = 0; i < count; i++) {
                        fields.add(new Schema.Field("f" + i, schema(depth - 1)));
                    }
                    yield known(
                            Schema.createRecord("R" + named.size(), null, space, false, fields));
                }
                case ENUM -> known(Schema.createEnum(name, null, space, List.of("A", "B", "C")));
                case FIXED -> known(Schema.createFixed(name, null, space, random.nextInt(5)));
                case ARRAY -> Schema.createArray(schema(depth - 1));
                case MAP -> Schema.createMap(schema(depth - 1));
                case UNION ->
                        Schema.createUnion(
                                Schema.create(Schema.Type.NULL),
                                Schema.createArray(schema(depth - 1)),
                                Schema.create(Schema.Type.STRING),
                                Schema.create(Schema.Type.DOUBLE));
                default -> Schema.create(type);
            };
        }

        private Schema known(Schema schema) {
            named.add(schema);
            return schema;
        }

        /** Notes the text of every scalar by its pointer. */
        @Nullable
        Object datum(Schema schema, String pointer, Map<String, String> texts) {
            switch (schema.getType()) {
                case RECORD -> {
                    GenericData.Record record = new GenericData.Record(schema);
                    for (Schema.Field field : schema.getFields()) {
                        String at = pointer + "/" + field.name();
                        record.put(field.name(), datum(field.schema(), at, texts));
                    }
                    return record;
                }
                case ARRAY -> {
                    List<Object> elements = new ArrayList<>();
                    int count = random.nextInt(6);
                    for (int i = 0; i < count; i++) {
                        elements.add(datum(schema.getElementType(), pointer + "/" + i, texts));
                    }
                    return elements;
                }
                case MAP -> {
                    Map<String, Object> values = new HashMap<>();
                    int count = random.nextInt(4);
                    for (int i = 0; i < count; i++) {
                        values.put(
                                "k" + i, datum(schema.getValueType(), pointer + "/k" + i, texts));
                    }
                    return values;
                }
                case UNION -> {
                    int branch = random.nextInt(schema.getTypes().size());
                    return datum(schema.getTypes().get(branch), pointer, texts);
                }
                default -> {
                    return scalar(schema, pointer, texts);
                }
            }
        }

        @Nullable
        private Object scalar(Schema schema, String pointer, Map<String, String> texts) {
            switch (schema.getType()) {
                case NULL -> {
                    return null;
                }
                case BOOLEAN -> {
                    boolean value = random.nextInt(2) == 0;
                    texts.put(pointer, Boolean.toString(value));
                    return value;
                }
                case INT -> {
                    int value = (int) random.nextLong() >> random.nextInt(32);
                    texts.put(pointer, "n" + value);
                    return value;
                }
                case LONG -> {
                    long value = random.nextLong() >> random.nextInt(64);
                    String text = Long.toString(value);
                    texts.put(
                            pointer,
                            "n"
                                    + (text.length() < 18
                                            ? text
                                            : Scalars.number(new BigDecimal(text))));
                    return value;
                }
                case FLOAT -> {
                    float value = random.nextInt(1000) / 8f;
                    texts.put(pointer, "n" + Scalars.number(new BigDecimal(value)));
                    return value;
                }
                case DOUBLE -> {
                    double value = random.nextInt(100_000) / 64.0;
                    texts.put(pointer, "n" + Scalars.number(new BigDecimal(value)));
                    return value;
                }
                case STRING -> {
                    String value = "\u00e9" + random.nextInt(1000);
                    texts.put(pointer, "s" + value);
                    return value;
                }
                case ENUM -> {
                    String value = schema.getEnumSymbols().get(random.nextInt(3));
                    texts.put(pointer, "s" + value);
                    return new GenericData.EnumSymbol(schema, value);
                }
                default -> {
                    boolean fixed = schema.getType() == Schema.Type.FIXED;
                    byte[] bytes = new byte[fixed ? schema.getFixedSize() : random.nextInt(9)];
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) random.nextInt(256);
                    }
                    texts.put(pointer, "b" + new String(bytes, ISO_8859_1));
                    return fixed ? new GenericData.Fixed(schema, bytes) : ByteBuffer.wrap(bytes);
                }
            }
        }
    }

    @Test
    void itReadsWhatApacheAvroWritesAndNoBytesMakeItThrow() throws IOException {
        SplitMix64 random = new SplitMix64(TestSeed.SEED);
        int found = 0;
        for (int round = 0; round < 300; round++) {
            RandomAvro avro = new RandomAvro(random);
            Schema schema = avro.record();
            Map<String, String> texts = new HashMap<>();
            Object datum = avro.datum(schema, "", texts);
            byte[] value = value(schema, datum, random.nextInt(2) == 0);
            String[] pointers = texts.keySet().toArray(String[]::new);
            AvroScalars all = scalars(pointers);
            assertThat(all.read(value)).as(schema + TestSeed.reproduce()).isNull();
            for (int i = 0; i < pointers.length; i++) {
                assertThat(all.get(i))
                        .as(pointers[i] + " of " + schema)
                        .isEqualTo(texts.get(pointers[i]));
                found++;
            }
            AvroScalars some =
                    scalars(
                            pointers.length == 0
                                    ? "/none"
                                    : pointers[random.nextInt(pointers.length)]);
            assertThat(some.read(value)).isNull();
            for (int i = 0; i < 20 && value.length > 5; i++) {
                byte[] damaged = value.clone();
                damaged[5 + random.nextInt(value.length - 5)] = (byte) random.nextInt(256);
                Problem unused = all.read(damaged);
                unused = some.read(Arrays.copyOf(value, 5 + random.nextInt(value.length - 5)));
            }
        }
        assertThat(found).isGreaterThan(500);
    }
}
