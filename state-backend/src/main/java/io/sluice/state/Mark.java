/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializerSnapshot;

/**
 * How a state says "seen": as a Boolean, or as a row of one Boolean, which is what process table
 * functions have instead.
 *
 * @param <V> type of the values, without their times
 */
abstract class Mark<V> {

    private static final String TABLE_SERIALIZERS = "org.apache.flink.table.runtime.typeutils.";

    private static final Mark<Boolean> FLAG =
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

    /** How the values of a serializer, perhaps with times, say it; null if they do not. */
    @Nullable
    static Mark<?> of(TypeSerializer<?> serializer) {
        TypeSerializer<?> plain = withoutAwareness(serializer);
        if (!(plain instanceof TtlSerializer)) {
            return ofValues(plain);
        }
        // The serializer does not tell what it wraps, but its snapshot does.
        TypeSerializerSnapshot<?> snapshot = plain.snapshotConfiguration();
        if (!(snapshot instanceof TtlSerializerSnapshot<?> ttl)) {
            return null;
        }
        TypeSerializerSnapshot<?> values = ttl.getValueSerializerSnapshot();
        return values instanceof BooleanSerializer.BooleanSerializerSnapshot || isOfTable(values)
                ? ofValues(values.restoreSerializer())
                : null;
    }

    @Nullable
    private static Mark<?> ofValues(TypeSerializer<?> serializer) {
        if (serializer instanceof BooleanSerializer) {
            return FLAG;
        }
        // Compared by name first: without SQL its classes need not be on the class path.
        return isOfTable(serializer) && RowMark.fits(serializer) ? new RowMark() : null;
    }

    private static boolean isOfTable(Object serializer) {
        return serializer.getClass().getName().startsWith(TABLE_SERIALIZERS);
    }

    static boolean hasTimes(TypeSerializer<?> serializer) {
        return withoutAwareness(serializer) instanceof TtlSerializer;
    }

    private static TypeSerializer<?> withoutAwareness(TypeSerializer<?> serializer) {
        return serializer instanceof TtlAwareSerializer<?, ?> aware
                ? aware.getOriginalTypeSerializer()
                : serializer;
    }
}
