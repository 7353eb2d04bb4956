/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.message.AvroType.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Reads Avro schemas ("Schema Declaration" and "Names" of the specification). Those that are read
 * first may be named by the later ones. Of logical types only the units of times are read; they,
 * defaults, aliases and documentation say nothing about how a value lies in its bytes.
 */
final class AvroSchemaParser {
    private final Map<String, AvroType> named = new HashMap<>();

    /**
     * The type that {@code json} declares.
     *
     * @throws IOException if it is no schema
     */
    AvroType parse(String json) throws IOException {
        return type(JsonTree.parse(json), "");
    }

    private AvroType type(@Nullable Object schema, String namespace) throws IOException {
        if (schema instanceof String name) {
            return byName(name, namespace);
        }
        if (schema instanceof List<?> branches) {
            AvroType union = new AvroType(Kind.UNION);
            union.types = types(branches, namespace);
            return union;
        }
        if (schema instanceof Map<?, ?> declared) {
            return declared(declared, namespace);
        }
        throw new IOException("no Avro schema: " + schema);
    }

    private List<AvroType> types(List<?> schemas, String namespace) throws IOException {
        List<AvroType> types = new ArrayList<>();
        for (Object schema : schemas) {
            types.add(type(schema, namespace));
        }
        return types;
    }

    @Nullable
    private static Kind primitive(String name) {
        return switch (name) {
            case "null", "boolean", "int", "long", "float", "double", "bytes", "string" ->
                    Kind.valueOf(name.toUpperCase(Locale.ROOT));
            default -> null;
        };
    }

    private AvroType byName(String name, String namespace) throws IOException {
        Kind primitive = primitive(name);
        if (primitive != null) {
            return new AvroType(primitive);
        }
        AvroType type = named.get(fullName(name, namespace));
        // Schemas of old libraries leave out the namespace of what they name.
        type = type == null ? named.get(name) : type;
        if (type == null) {
            throw new IOException("no Avro type has the name " + name);
        }
        return type;
    }

    private static String fullName(String name, String namespace) {
        return name.indexOf('.') >= 0 || namespace.isEmpty() ? name : namespace + '.' + name;
    }

    private AvroType declared(Map<?, ?> declared, String namespace) throws IOException {
        Object type = declared.get("type");
        if (!(type instanceof String kind)) {
            // A type that is wrapped once more.
            return type(type, namespace);
        }
        return switch (kind) {
            case "record", "error" -> {
                AvroType made = new AvroType(Kind.RECORD);
                fields(made, declared, name(made, declared, namespace));
                yield made;
            }
            case "enum" -> {
                AvroType made = new AvroType(Kind.ENUM);
                String unused = name(made, declared, namespace);
                made.names = list(declared, "symbols").stream().map(String::valueOf).toList();
                yield made;
            }
            case "fixed" -> {
                AvroType made = new AvroType(Kind.FIXED);
                String unused = name(made, declared, namespace);
                made.size = size(declared);
                yield made;
            }
            case "array" -> values(Kind.ARRAY, declared.get("items"), namespace);
            case "map" -> values(Kind.MAP, declared.get("values"), namespace);
            default -> {
                AvroType made = byName(kind, namespace);
                if (made.kind == Kind.LONG) {
                    made.unit = unit(declared.get("logicalType"));
                }
                yield made;
            }
        };
    }

    @Nullable
    private static EpochUnit unit(@Nullable Object logicalType) {
        if (!(logicalType instanceof String name)) {
            return null;
        }
        return switch (name) {
            case "timestamp-millis", "local-timestamp-millis" -> EpochUnit.MILLIS;
            case "timestamp-micros", "local-timestamp-micros" -> EpochUnit.MICROS;
            case "timestamp-nanos", "local-timestamp-nanos" -> EpochUnit.NANOS;
            default -> null;
        };
    }

    private AvroType values(Kind kind, @Nullable Object schema, String namespace)
            throws IOException {
        AvroType made = new AvroType(kind);
        made.types = List.of(type(schema, namespace));
        return made;
    }

    /** Makes a type known by its name; returns the namespace of what is declared inside. */
    private String name(AvroType type, Map<?, ?> declared, String outer) throws IOException {
        if (!(declared.get("name") instanceof String name)) {
            throw new IOException("an Avro " + declared.get("type") + " without a name");
        }
        String namespace = declared.get("namespace") instanceof String own ? own : outer;
        String full = fullName(name, namespace);
        named.put(full, type);
        return full.substring(0, Math.max(0, full.lastIndexOf('.')));
    }

    private void fields(AvroType record, Map<?, ?> declared, String namespace) throws IOException {
        List<String> names = new ArrayList<>();
        List<AvroType> types = new ArrayList<>();
        for (Object field : list(declared, "fields")) {
            if (!(field instanceof Map<?, ?> parts && parts.get("name") instanceof String name)) {
                throw new IOException("a field without a name in an Avro record");
            }
            names.add(name);
            types.add(type(parts.get("type"), namespace));
        }
        record.names = names;
        record.types = types;
    }

    private static List<?> list(Map<?, ?> declared, String name) throws IOException {
        if (declared.get(name) instanceof List<?> list) {
            return list;
        }
        throw new IOException("an Avro " + declared.get("type") + " without " + name);
    }

    private static int size(Map<?, ?> declared) throws IOException {
        try {
            int size = Integer.parseInt(String.valueOf(declared.get("size")));
            if (size >= 0) {
                return size;
            }
        } catch (NumberFormatException e) {
            // As if it were negative.
        }
        throw new IOException("an Avro fixed of size " + declared.get("size"));
    }
}
