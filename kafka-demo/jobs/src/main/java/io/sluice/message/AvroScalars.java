/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.message.KafkaMessage.Problem;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.util.List;
import javax.annotation.Nullable;

/**
 * {@link Scalars} in Avro's binary encoding ("Data Serialization and Deserialization" of the
 * specification), after the 5 bytes of a schema registry: a zero and the schema's id. Reads with
 * the writer's schema, and skips all that no pointer goes to.
 *
 * <p>Strings and symbols become strings, numbers those of JSON, {@code bytes} and {@code fixed}
 * their bytes; NaN and the infinities are no scalars. A union is whatever it holds.
 *
 * <p>Apache Avro's own reader is not used: it believes the lengths and depths that bytes claim, so
 * that a few hostile ones take gigabytes or overflow the stack, and it would bring a second JSON
 * library into the job's jar. Here every length is checked against the bytes that are left.
 */
final class AvroScalars extends Scalars {
    private static final byte MAGIC = 0;
    private static final int HEADER_BYTES = 5;

    /** Types that contain themselves may go as deep as their values say. */
    private static final int MAX_DEPTH = 200;

    /**
     * Values that may be in so few bytes before they are taken for damaged: those of no bytes, as
     * in an array of nulls, may be as many as a count or a schema says.
     */
    private static final int MIN_VALUES = 1 << 16;

    /** Values that may be in a byte, beyond those. */
    private static final int VALUES_PER_BYTE = 64;

    /** Not as the schema says. */
    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed() {
            super("no Avro of this schema", null, false, false);
        }
    }

    private final KnownSchemas schemas;
    private final CharsetDecoder utf8 = UTF_8.newDecoder();
    private ByteBuffer in = ByteBuffer.allocate(0);
    private long valuesLeft;

    /**
     * @param schemas of the registry
     */
    AvroScalars(List<List<String>> pointers, KnownSchemas schemas) {
        super(pointers);
        this.schemas = schemas;
    }

    @Override
    @Nullable
    Problem read(byte[] value, Step root) throws SchemaRegistryException {
        if (value.length < HEADER_BYTES || value[0] != MAGIC) {
            return Problem.NOT_AVRO;
        }
        in = ByteBuffer.wrap(value, 1, value.length - 1);
        KnownSchemas.Schema schema = schemas.get(in.getInt());
        if (schema.type() == null) {
            return schema.problem();
        }
        in.order(ByteOrder.LITTLE_ENDIAN);
        valuesLeft = MIN_VALUES + (long) VALUES_PER_BYTE * value.length;
        try {
            take(schema.type(), root, 0);
            return null;
        } catch (Malformed e) {
            return Problem.NOT_AVRO;
        }
    }

    /** Reads a value; skips it if {@code step} is null. */
    private void take(AvroType type, @Nullable Step step, int depth) throws Malformed {
        if (depth > MAX_DEPTH || --valuesLeft < 0) {
            throw new Malformed();
        }
        switch (type.kind) {
            case RECORD -> {
                for (int i = 0; i < type.types.size() && !isComplete(); i++) {
                    Step next = step == null ? null : step.to(type.names.get(i));
                    take(type.types.get(i), next, depth + 1);
                }
            }
            case UNION -> take(type.types.get(index(type.types)), step, depth + 1);
            case ARRAY -> elements(type.types.get(0), step, false, depth);
            case MAP -> elements(type.types.get(0), step, true, depth);
            default -> {
                if (isTarget(step)) {
                    found(step, scalar(type), type.unit);
                } else {
                    skip(type);
                }
            }
        }
    }

    /** Blocks, each after the number of its elements, up to an empty one. */
    private void elements(AvroType type, @Nullable Step step, boolean isMap, int depth)
            throws Malformed {
        int index = 0;
        for (long count = number(64); count != 0; count = number(64)) {
            if (count < 0) {
                long bytes = length(number(64));
                if (step == null) {
                    move((int) bytes);
                    continue;
                }
            }
            for (long left = count; left != 0 && !isComplete(); left += left < 0 ? 1 : -1) {
                Step next = null;
                if (step != null) {
                    next = step.to(isMap ? string() : Integer.toString(index++));
                } else if (isMap) {
                    move((int) length(number(64)));
                }
                take(type, next, depth + 1);
            }
            if (isComplete()) {
                return;
            }
        }
    }

    @Nullable
    private String scalar(AvroType type) throws Malformed {
        return switch (type.kind) {
            case BOOLEAN -> bool();
            case INT -> NUMBER + Long.toString(number(32));
            case LONG -> NUMBER + longText(number(64));
            case FLOAT -> number(Float.toString(fixed(Float.BYTES).getFloat()));
            case DOUBLE -> number(Double.toString(fixed(Double.BYTES).getDouble()));
            case STRING -> STRING + string();
            case ENUM -> STRING + type.names.get(index(type.names));
            case BYTES -> BYTES + bytes((int) length(number(64)));
            case FIXED -> BYTES + bytes((int) length(type.size));
            default -> null;
        };
    }

    private void skip(AvroType type) throws Malformed {
        switch (type.kind) {
            case BOOLEAN -> move(1);
            case INT, LONG, ENUM -> {
                long unused = number(64);
            }
            case FLOAT -> move(Float.BYTES);
            case DOUBLE -> move(Double.BYTES);
            case STRING, BYTES -> move((int) length(number(64)));
            case FIXED -> move((int) length(type.size));
            default -> {}
        }
    }

    private String bool() throws Malformed {
        byte value = fixed(1).get();
        if (value != 0 && value != 1) {
            throw new Malformed();
        }
        return Boolean.toString(value == 1);
    }

    /** A long number has the same form in JSON. */
    private static String longText(long value) {
        String text = Long.toString(value);
        return text.length() <= PLAIN_DIGITS ? text : number(new BigDecimal(value));
    }

    @Nullable
    private static String number(String text) {
        try {
            return NUMBER + number(new BigDecimal(text));
        } catch (NumberFormatException e) {
            // NaN, or infinite.
            return null;
        }
    }

    private int index(List<?> of) throws Malformed {
        long index = number(64);
        if (index < 0 || index >= of.size()) {
            throw new Malformed();
        }
        return (int) index;
    }

    private String string() throws Malformed {
        int length = (int) length(number(64));
        ByteBuffer text = in.slice(in.position(), length);
        move(length);
        try {
            return utf8.decode(text).toString();
        } catch (CharacterCodingException e) {
            throw new Malformed();
        }
    }

    private String bytes(int length) throws Malformed {
        String text = new String(in.array(), in.arrayOffset() + in.position(), length, ISO_8859_1);
        move(length);
        return text;
    }

    /** A number of bytes that are there. */
    private long length(long bytes) throws Malformed {
        if (bytes < 0 || bytes > in.remaining()) {
            throw new Malformed();
        }
        return bytes;
    }

    private void move(int bytes) throws Malformed {
        in.position(in.position() + (int) length(bytes));
    }

    private ByteBuffer fixed(int bytes) throws Malformed {
        length(bytes);
        return in;
    }

    /** A zigzag number of variable length that fits into that many bits. */
    private long number(int bits) throws Malformed {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            if (shift >= 70 || !in.hasRemaining()) {
                throw new Malformed();
            }
            byte next = in.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                break;
            }
        }
        long number = value >>> 1 ^ -(value & 1);
        if (bits < 64 && number != (int) number) {
            throw new Malformed();
        }
        return number;
    }
}
