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
 * tableEnv.fromDataStream(values)} has a column for each. For values that are too frequent for
 * Flink's serializer of records; other rows are records.
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
public final class ColumnsTypeInfo<T> extends CompositeType<T> {

    private final TypeSerializer<T> serializer;
    private final String[] names;
    private final TypeInformation<?>[] types;

    private ColumnsTypeInfo(Builder<T> from) {
        super(from.type);
        this.serializer = from.serializer;
        this.names = from.names.toArray(String[]::new);
        this.types = from.types.toArray(TypeInformation<?>[]::new);
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

        /**
         * Adds a column.
         *
         * @throws IllegalArgumentException if it has parts itself
         */
        public Builder<T> column(String name, TypeInformation<?> columnType) {
            if (columnType instanceof CompositeType) {
                throw new IllegalArgumentException(
                        "a column must have no parts, but '" + name + "' is " + columnType);
            }
            names.add(name);
            types.add(columnType);
            return this;
        }

        /** Returns the description. */
        public ColumnsTypeInfo<T> build() {
            return new ColumnsTypeInfo<>(this);
        }
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return names.length;
    }

    @Override
    public int getTotalFields() {
        return names.length;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public String[] getFieldNames() {
        return names.clone();
    }

    @Override
    public int getFieldIndex(String name) {
        return Arrays.asList(names).indexOf(name);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <X> TypeInformation<X> getTypeAt(int index) {
        return (TypeInformation<X>) types[index];
    }

    @Override
    public <X> TypeInformation<X> getTypeAt(String name) {
        return getTypeAt(indexOf(name));
    }

    @Override
    public void getFlatFields(String name, int offset, List<FlatFieldDescriptor> result) {
        if (name.equals("*") || name.equals("_")) {
            for (int i = 0; i < names.length; i++) {
                result.add(new FlatFieldDescriptor(offset + i, types[i]));
            }
        } else {
            int index = indexOf(name);
            result.add(new FlatFieldDescriptor(offset + index, types[index]));
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

    @Override
    protected TypeComparatorBuilder<T> createTypeComparatorBuilder() {
        throw new UnsupportedOperationException(this + " cannot be a key: take one of its parts");
    }

    @Override
    public String toString() {
        return getTypeClass().getSimpleName();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ColumnsTypeInfo<?> that
                && getTypeClass().equals(that.getTypeClass())
                && Arrays.equals(names, that.names)
                && Arrays.equals(types, that.types);
    }

    @Override
    public int hashCode() {
        return 31 * getTypeClass().hashCode() + Arrays.hashCode(types);
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ColumnsTypeInfo;
    }
}
