/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.message.KafkaMessage.Problem;
import java.io.EOFException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharsetDecoder;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/**
 * {@link Scalars} in Avro's binary encoding, after the 5 bytes of a schema registry: a zero and the
 * schema's id. Walks the writer's schema, and skips all that no pointer goes to.
 *
 * <p>Strings and symbols become strings, numbers those of JSON, {@code bytes} and {@code fixed}
 * their bytes; NaN and the infinities are not scalars. A union is whatever it holds.
 *
 * <p>Avro's datum readers are not used: they read a value to its end, and follow a schema that
 * contains itself as deep as hostile bytes say, and values of no bytes as often. Here depth and
 * number of values are bounded, and lengths by the bytes that are left.
 */
final class AvroScalars extends Scalars {
    private static final byte MAGIC = 0;
    private static final int HEADER_BYTES = 5;
    private static final int MAX_DEPTH = 200;

    /** By their bytes, of which others are damaged. */
    private static final List<String> BOOLEANS = List.of("false", "true");

    /**
     * Values that may be in so few bytes before they are taken for damaged: those of no bytes, as
     * in an array of nulls, may be as many as a count or a schema says.
     */
    private static final int MIN_VALUES = 1 << 16;

    /** Values that may be in a byte, beyond those. */
    private static final int VALUES_PER_BYTE = 64;

    private final KnownSchemas schemas;
    private final CharsetDecoder utf8 = UTF_8.newDecoder();
    private BinaryDecoder in = DecoderFactory.get().binaryDecoder(new byte[0], null);
    private long valuesLeft;

    AvroScalars(List<List<String>> pointers, KnownSchemas schemas, boolean strict) {
        super(pointers, strict);
        this.schemas = schemas;
    }

    @Override
    @Nullable
    Problem read(byte[] value, Step root) throws SchemaRegistryException {
        if (value.length < HEADER_BYTES || value[0] != MAGIC) {
            return Problem.NOT_AVRO;
        }
        KnownSchemas.Known known = schemas.get(ByteBuffer.wrap(value).getInt(1));
        if (known.schema() == null) {
            return known.problem();
        }
        int length = value.length - HEADER_BYTES;
        in = DecoderFactory.get().binaryDecoder(value, HEADER_BYTES, length, in);
        valuesLeft = MIN_VALUES + (long) VALUES_PER_BYTE * value.length;
        try {
            take(known.schema(), root, 0);
            return isStrict() && !in.isEnd() ? Problem.NOT_AVRO : null;
        } catch (IOException
                | ArithmeticException
                | AvroRuntimeException
                | IndexOutOfBoundsException
                | UnsupportedOperationException e) {
            // Ends too early; a number out of range; no such branch or symbol; a count beyond 2^31.
            return Problem.NOT_AVRO;
        }
    }

    /** Reads a value; skips it if {@code step} is null. */
    private void take(Schema schema, @Nullable Step step, int depth) throws IOException {
        if (depth > MAX_DEPTH || --valuesLeft < 0) {
            throw new IOException("more values than so few bytes should have");
        }
        switch (schema.getType()) {
            case RECORD -> {
                for (Schema.Field field : schema.getFields()) {
                    take(field.schema(), step == null ? null : step.to(field.name()), depth + 1);
                    if (isComplete()) {
                        return;
                    }
                }
            }
            case UNION -> take(schema.getTypes().get(integer()), step, depth + 1);
            case ARRAY -> elements(schema.getElementType(), step, false, depth + 1);
            case MAP -> elements(schema.getValueType(), step, true, depth + 1);
            default -> {
                if (isTarget(step)) {
                    found(step, scalar(schema), unit(schema));
                } else {
                    skip(schema);
                }
            }
        }
    }

    /** Reads blocks of elements, which arrays and maps have in the same form. */
    private void elements(Schema schema, @Nullable Step step, boolean isMap, int depth)
            throws IOException {
        int index = 0;
        long left = step == null ? in.skipArray() : in.readArrayStart();
        while (left > 0) {
            for (; left > 0; left--) {
                Step next = null;
                if (step != null) {
                    next = step.to(isMap ? string() : Integer.toString(index++));
                } else if (isMap) {
                    in.skipFixed(length(in.readLong()));
                }
                take(schema, next, depth);
                if (isComplete()) {
                    return;
                }
            }
            left = step == null ? in.skipArray() : in.arrayNext();
        }
    }

    @Nullable
    private String scalar(Schema schema) throws IOException {
        return switch (schema.getType()) {
            case BOOLEAN -> BOOLEANS.get(bytes(1)[0]);
            case INT -> NUMBER + Integer.toString(integer());
            case LONG -> {
                String text = Long.toString(in.readLong());
                yield text.length() <= PLAIN_DIGITS ? NUMBER + text : numberOf(text);
            }
            case FLOAT -> numberOf(Float.toString(in.readFloat()));
            case DOUBLE -> numberOf(Double.toString(in.readDouble()));
            case STRING -> STRING + string();
            case ENUM -> STRING + schema.getEnumSymbols().get(integer());
            case BYTES -> BYTES + new String(bytes(in.readLong()), ISO_8859_1);
            case FIXED -> BYTES + new String(bytes(schema.getFixedSize()), ISO_8859_1);
            default -> null;
        };
    }

    private void skip(Schema schema) throws IOException {
        switch (schema.getType()) {
            case STRING, BYTES -> in.skipFixed(length(in.readLong()));
            case FIXED -> in.skipFixed(length(schema.getFixedSize()));
            default -> GenericDatumReader.skip(schema, in);
        }
    }

    @Nullable
    private static String numberOf(String text) {
        try {
            return NUMBER + number(new BigDecimal(text));
        } catch (NumberFormatException e) {
            // NaN, or infinite.
            return null;
        }
    }

    @Nullable
    private static EpochUnit unit(Schema schema) {
        LogicalType type = schema.getLogicalType();
        return switch (type == null ? "" : type.getName()) {
            case "timestamp-millis", "local-timestamp-millis" -> EpochUnit.MILLIS;
            case "timestamp-micros", "local-timestamp-micros" -> EpochUnit.MICROS;
            case "timestamp-nanos", "local-timestamp-nanos" -> EpochUnit.NANOS;
            default -> null;
        };
    }

    /** Avro's decoder would drop the bits that are too many. */
    private int integer() throws IOException {
        return Math.toIntExact(in.readLong());
    }

    /** Avro's decoder would make all malformed strings the same. */
    private String string() throws IOException {
        return utf8.decode(ByteBuffer.wrap(bytes(in.readLong()))).toString();
    }

    private byte[] bytes(long length) throws IOException {
        byte[] bytes = new byte[length(length)];
        in.readFixed(bytes);
        return bytes;
    }

    /** A number of bytes that are there, whatever a length or a schema claims. */
    private int length(long bytes) throws EOFException {
        if (bytes < 0 || bytes > in.remainingBytes()) {
            throw new EOFException();
        }
        return (int) bytes;
    }
}
