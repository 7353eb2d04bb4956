/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializerSnapshot;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * How a state says "seen": as a Boolean; or, in SQL, as a row of one Boolean, which is what process
 * table functions have instead, as a row without columns, which is what {@code SELECT DISTINCT}
 * has, or as the number 1, which is what {@code COUNT(DISTINCT)} keeps for a value.
 *
 * @param <V> type of the values
 */
abstract class Mark<V> {

    private static final String TABLE_SERIALIZERS = "org.apache.flink.table.runtime.typeutils.";

    static final Mark<Boolean> FLAG =
            new Mark<>() {
                @Override
                Boolean seen() {
                    return Boolean.TRUE;
                }

                @Override
                boolean isSeen(Boolean value) {
                    return value;
                }
            };

    /** The value of a marked key; not to be changed. */
    abstract V seen();

    /** Whether a value, not null, says "seen". */
    abstract boolean isSeen(V value);

    /** Whether "seen" is a number, so that other numbers say something else. */
    boolean isNumber() {
        return false;
    }

    /**
     * The values of a serializer, or the values of its map, perhaps with times; null if they do not
     * say "seen".
     */
    @Nullable
    static Mark<?> of(TypeSerializer<?> serializer) {
        TypeSerializer<?> plain = withoutKeys(serializer);
        if (!(plain instanceof TtlSerializer)) {
            return ofValues(plain);
        }
        // The serializer does not tell what it wraps, but its snapshot does.
        TypeSerializerSnapshot<?> snapshot = plain.snapshotConfiguration();
        if (!(snapshot instanceof TtlSerializerSnapshot<?> ttl)) {
            return null;
        }
        TypeSerializerSnapshot<?> values = ttl.getValueSerializerSnapshot();
        if (!(values instanceof BooleanSerializer.BooleanSerializerSnapshot || isOfTable(values))) {
            return null;
        }
        Mark<?> mark = ofValues(values.restoreSerializer());
        return mark == null ? null : new Timed<>(mark);
    }

    /**
     * A value with a time that Flink compares with the wall clock. The time of a marked key never
     * expires, so only the filter decides.
     */
    private static final class Timed<V> extends Mark<TtlValue<V>> {
        private final Mark<V> mark;
        private final TtlValue<V> seen;

        Timed(Mark<V> mark) {
            this.mark = mark;
            this.seen = new TtlValue<>(mark.seen(), Long.MAX_VALUE);
        }

        @Override
        TtlValue<V> seen() {
            return seen;
        }

        @Override
        boolean isNumber() {
            return mark.isNumber();
        }

        @Override
        boolean isSeen(TtlValue<V> value) {
            V withoutTime = value.getUserValue();
            return withoutTime != null && mark.isSeen(withoutTime);
        }
    }

    @Nullable
    private static Mark<?> ofValues(TypeSerializer<?> serializer) {
        if (serializer instanceof BooleanSerializer) {
            return FLAG;
        }
        // Compared by name first: without SQL its classes need not be on the class path.
        return isOfTable(serializer) ? TableMarks.of(serializer) : null;
    }

    private static boolean isOfTable(Object serializer) {
        return serializer.getClass().getName().startsWith(TABLE_SERIALIZERS);
    }

    static boolean hasTimes(TypeSerializer<?> serializer) {
        return withoutKeys(serializer) instanceof TtlSerializer;
    }

    /** The serializer of a map's keys; null if the serializer is not of maps. */
    @Nullable
    static TypeSerializer<?> mapKeys(TypeSerializer<?> serializer) {
        return withoutAwareness(serializer) instanceof MapSerializer<?, ?> map
                ? map.getKeySerializer()
                : null;
    }

    private static TypeSerializer<?> withoutKeys(TypeSerializer<?> serializer) {
        TypeSerializer<?> plain = withoutAwareness(serializer);
        return plain instanceof MapSerializer<?, ?> map
                ? withoutAwareness(map.getValueSerializer())
                : plain;
    }

    private static TypeSerializer<?> withoutAwareness(TypeSerializer<?> serializer) {
        return serializer instanceof TtlAwareSerializer<?, ?> aware
                ? aware.getOriginalTypeSerializer()
                : serializer;
    }
}
