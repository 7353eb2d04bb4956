/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * Flink's description of a value that has its own serializer and whose parts SQL can read: {@code
 * tableEnv.fromDataStream(values)} has a column for each.
 *
 * <p>For each column the Table API needs a field of the same name and exactly the column's class,
 * with a getter, and a constructor that takes all columns in order. So enums and addresses, which
 * are text in SQL, also have a field of type {@code String}.
 *
 * <p>A value cannot be a key, but its parts can. Two descriptions are equal if their classes and
 * columns are.
 *
 * @param <T> type of the values
 */
@Internal
public abstract class ColumnsTypeInfo<T> extends CompositeType<T> {

    private final String[] names;
    private final TypeInformation<?>[] types;

    protected ColumnsTypeInfo(Class<T> type, List<String> names, List<TypeInformation<?>> types) {
        super(type);
        this.names = names.toArray(String[]::new);
        this.types = types.toArray(TypeInformation<?>[]::new);
    }

    /**
     * Starts a description of values whose serializer needs no configuration.
     *
     * @param serializer shared by all callers, so it keeps no state
     */
    public static <T> Builder<T> of(Class<T> type, TypeSerializer<T> serializer) {
        return new Builder<>(type, serializer);
    }

    /**
     * Collects columns, in their order.
     *
     * @param <T> type of the values
     */
    public static final class Builder<T> {
        private final Class<T> type;
        private final TypeSerializer<T> serializer;
        private final List<String> names = new ArrayList<>();
        private final List<TypeInformation<?>> types = new ArrayList<>();

        private Builder(Class<T> type, TypeSerializer<T> serializer) {
            this.type = requireNonNull(type, "type");
            this.serializer = requireNonNull(serializer, "serializer");
        }

        /** Adds a column. */
        public Builder<T> column(String name, TypeInformation<?> columnType) {
            names.add(name);
            types.add(columnType);
            return this;
        }

        /** Returns the description. */
        public ColumnsTypeInfo<T> build() {
            return new Fixed<>(type, names, types, serializer);
        }
    }

    private static final class Fixed<T> extends ColumnsTypeInfo<T> {
        private final TypeSerializer<T> serializer;

        Fixed(
                Class<T> type,
                List<String> names,
                List<TypeInformation<?>> types,
                TypeSerializer<T> serializer) {
            super(type, names, types);
            this.serializer = serializer;
        }

        @Override
        public TypeSerializer<T> createSerializer(SerializerConfig config) {
            return serializer;
        }
    }

    @Override
    public final boolean isBasicType() {
        return false;
    }

    @Override
    public final boolean isTupleType() {
        return false;
    }

    @Override
    public final int getArity() {
        return names.length;
    }

    @Override
    public final int getTotalFields() {
        return Arrays.stream(types).mapToInt(TypeInformation::getTotalFields).sum();
    }

    @Override
    public final boolean isKeyType() {
        return false;
    }

    @Override
    public final String[] getFieldNames() {
        return names.clone();
    }

    @Override
    public final int getFieldIndex(String name) {
        return Arrays.asList(names).indexOf(name);
    }

    @Override
    @SuppressWarnings("unchecked")
    public final <X> TypeInformation<X> getTypeAt(int index) {
        return (TypeInformation<X>) types[index];
    }

    /** Returns the name of a column, or of a part of one: {@code counter.f0}. */
    @Override
    public final <X> TypeInformation<X> getTypeAt(String path) {
        int dot = path.indexOf('.');
        TypeInformation<X> column = getTypeAt(indexOf(dot < 0 ? path : path.substring(0, dot)));
        if (dot < 0) {
            return column;
        }
        return composite(column, path).getTypeAt(path.substring(dot + 1));
    }

    @Override
    public final void getFlatFields(String path, int offset, List<FlatFieldDescriptor> result) {
        if (path.equals("*") || path.equals("_")) {
            for (String name : names) {
                getFlatFields(name, offset, result);
            }
            return;
        }
        int dot = path.indexOf('.');
        int index = indexOf(dot < 0 ? path : path.substring(0, dot));
        int position = offset;
        for (int i = 0; i < index; i++) {
            position += types[i].getTotalFields();
        }
        if (dot >= 0) {
            composite(types[index], path).getFlatFields(path.substring(dot + 1), position, result);
        } else if (types[index] instanceof CompositeType<?> nested) {
            nested.getFlatFields("*", position, result);
        } else {
            result.add(new FlatFieldDescriptor(position, types[index]));
        }
    }

    private int indexOf(String name) {
        int index = getFieldIndex(name);
        if (index < 0) {
            throw new InvalidFieldReferenceException(
                    this + " has no column '" + name + "', but " + Arrays.toString(names));
        }
        return index;
    }

    private CompositeType<?> composite(TypeInformation<?> column, String path) {
        if (column instanceof CompositeType<?> nested) {
            return nested;
        }
        throw new InvalidFieldReferenceException(
                "'" + path + "' leads into " + column + ", which has no parts");
    }

    @Override
    protected final TypeComparatorBuilder<T> createTypeComparatorBuilder() {
        throw new UnsupportedOperationException(this + " cannot be a key: take one of its parts");
    }

    @Override
    public String toString() {
        return getTypeClass().getSimpleName();
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof ColumnsTypeInfo<?> that
                && getTypeClass().equals(that.getTypeClass())
                && Arrays.equals(names, that.names)
                && Arrays.equals(types, that.types);
    }

    @Override
    public final int hashCode() {
        return 31 * getTypeClass().hashCode() + Arrays.hashCode(types);
    }

    @Override
    public final boolean canEqual(Object other) {
        return other instanceof ColumnsTypeInfo;
    }
}
