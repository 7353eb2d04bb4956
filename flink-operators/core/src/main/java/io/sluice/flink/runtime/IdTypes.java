/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.VariantTypeInfo;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.java.typeutils.EitherTypeInfo;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.api.java.typeutils.MapTypeInfo;
import org.apache.flink.api.java.typeutils.ObjectArrayTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.RowTypeInfo;
import org.apache.flink.api.java.typeutils.SetTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.types.DoubleValue;
import org.apache.flink.types.FloatValue;

/**
 * Decides which types can be ids: those whose equal values are serialized as equal bytes, because
 * ids are hashed by their bytes. Looks into tuples, rows, POJOs, arrays, lists and eithers.
 *
 * <p>It accepts what it cannot look into: a user-defined {@code TypeInformation} or {@code Value}
 * has to write equal values as equal bytes, and a POJO's subclasses must obey the same rules as the
 * POJO.
 */
final class IdTypes {

    /** Flink 2.2 does not have it. */
    private static final String BITMAP = "org.apache.flink.api.common.typeinfo.BitmapTypeInfo";

    private IdTypes() {}

    /**
     * @param path how messages name the value: "id"
     * @throws IllegalArgumentException if equal values of {@code type} may have unequal bytes; the
     *     message names the place in the type, and what to use instead
     */
    static void requireEqualBytes(String path, TypeInformation<?> type) {
        walk(path, type, true);
    }

    /**
     * As {@link #requireEqualBytes}, for values that are also looked up by {@code equals} and
     * {@code hashCode}.
     */
    static void requireEqualBytesAndHashCode(String path, TypeInformation<?> type) {
        requireEqualBytes(path, type);
        requireHashCode(path, type);
    }

    /**
     * @param byFlink whether Flink's serializers write it field by field; a subclass of Flink's
     *     types has its own format (as Avro's do), but a map in it is still a map
     */
    private static void walk(String path, TypeInformation<?> type, boolean byFlink) {
        requireNoMap(path, type);
        requireNoFraction(path, type);
        if (type instanceof GenericTypeInfo && byFlink) {
            throw refused(
                    path,
                    type,
                    "it would be written by Kryo, whose bytes may differ between equal values",
                    "select a long, a String, a tuple, a public record or POJO, or give the type's"
                            + " information");
        }
        if (type instanceof VariantTypeInfo || type.getClass().getName().equals(BITMAP)) {
            throw refused(
                    path,
                    type,
                    "equal values may have different bytes",
                    "select what identifies it, as a long or a String");
        }
        if (type instanceof CompositeType<?> composite) {
            boolean fieldsByFlink = isFlinks(composite);
            String[] names = composite.getFieldNames();
            for (int i = 0; i < names.length; i++) {
                walk(path + "." + names[i], composite.getTypeAt(i), byFlink && fieldsByFlink);
            }
        } else if (type instanceof ObjectArrayTypeInfo<?, ?> array) {
            walk(path + "[]", array.getComponentInfo(), byFlink);
        } else if (type instanceof BasicArrayTypeInfo<?, ?> array) {
            walk(path + "[]", array.getComponentInfo(), byFlink);
        } else if (type instanceof PrimitiveArrayTypeInfo<?> array) {
            walk(path + "[]", array.getComponentType(), byFlink);
        } else if (type instanceof ListTypeInfo<?> list) {
            walk(path + "[]", list.getElementTypeInfo(), byFlink);
        } else if (type instanceof EitherTypeInfo<?, ?> either) {
            walk(path + ".left", either.getLeftType(), byFlink);
            walk(path + ".right", either.getRightType(), byFlink);
        }
    }

    private static boolean isFlinks(CompositeType<?> type) {
        Class<?> typeInfo = type.getClass();
        return typeInfo == PojoTypeInfo.class
                || typeInfo == TupleTypeInfo.class
                || typeInfo == RowTypeInfo.class;
    }

    private static void requireNoMap(String path, TypeInformation<?> type) {
        Class<?> valueClass = type.getTypeClass();
        boolean isMap = type instanceof MapTypeInfo || Map.class.isAssignableFrom(valueClass);
        boolean isSet = type instanceof SetTypeInfo || Set.class.isAssignableFrom(valueClass);
        if (isMap || isSet) {
            throw refused(
                    path,
                    type,
                    "equal ones are written in the order of their entries, which may differ",
                    "select a sorted List of the entries, or a String made of it");
        }
    }

    private static void requireNoFraction(String path, TypeInformation<?> type) {
        Class<?> valueClass = type.getTypeClass();
        if (valueClass == Double.class
                || valueClass == Float.class
                || valueClass == double.class
                || valueClass == float.class
                || valueClass == DoubleValue.class
                || valueClass == FloatValue.class) {
            throw refused(
                    path,
                    type,
                    "0.0 and -0.0 are equal numbers with different bytes, and NaN does not equal"
                            + " itself",
                    "select an integral number, a String, or Double.doubleToLongBits(x + 0.0)");
        }
    }

    private static void requireHashCode(String path, TypeInformation<?> type) {
        if (type instanceof ObjectArrayTypeInfo
                || type instanceof BasicArrayTypeInfo
                || type instanceof PrimitiveArrayTypeInfo) {
            throw refused(
                    path,
                    type,
                    "arrays with equal contents are not equal to each other",
                    "select a List or a String");
        }
        if (type instanceof PojoTypeInfo && !overridesHashCode(type.getTypeClass())) {
            throw refused(
                    path,
                    type,
                    "its class does not override hashCode(), so different objects are never equal",
                    "write equals() and hashCode(), or use a record");
        }
        if (type instanceof CompositeType<?> composite) {
            String[] names = composite.getFieldNames();
            for (int i = 0; i < names.length; i++) {
                requireHashCode(path + "." + names[i], composite.getTypeAt(i));
            }
        } else if (type instanceof ListTypeInfo<?> list) {
            requireHashCode(path + "[]", list.getElementTypeInfo());
        } else if (type instanceof EitherTypeInfo<?, ?> either) {
            requireHashCode(path + ".left", either.getLeftType());
            requireHashCode(path + ".right", either.getRightType());
        }
    }

    private static boolean overridesHashCode(Class<?> type) {
        try {
            Method hashCode = type.getMethod("hashCode");
            return hashCode.getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            // For an interface, the implementing classes decide.
            return true;
        }
    }

    private static IllegalArgumentException refused(
            String path, TypeInformation<?> type, String reason, String instead) {
        return new IllegalArgumentException(
                path
                        + ": "
                        + type.getTypeClass().getTypeName()
                        + " cannot be (part of) an id, since "
                        + reason
                        + ": "
                        + instead
                        + ".");
    }
}
