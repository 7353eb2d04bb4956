/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.flink.counter.StoredCounters;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalAppendingState;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * The values of one state of a job in a key group, by key. Numbers and text are themselves; all
 * else is what its serializer writes, in hexadecimal, or a hash of it if that is long. Stateless.
 */
final class StoredValues {

    /** What is longer is shown as a hash. */
    private static final int MOST_SHOWN = 32;

    private StoredValues() {}

    /** Returns the totals of counters, by the text of the counter's key. */
    static Map<String, Long> totals(StoredKeyedState state, int keyGroup) throws IOException {
        Map<String, Long> totals = new HashMap<>();
        state.read(
                keyGroup,
                (backend, states) ->
                        StoredCounters.forEach(
                                backend,
                                (counter, total) ->
                                        totals.put(String.valueOf(counter), total.value())));
        return totals;
    }

    /**
     * Returns the values of a state with this name, of any kind; each entry of a map is a value.
     */
    static Map<String, String> of(StoredKeyedState state, String name, int keyGroup)
            throws IOException {
        Map<String, String> values = new HashMap<>();
        state.read(
                keyGroup,
                (backend, states) -> {
                    for (StateMetaInfoSnapshot described : states) {
                        if (described.getName().equals(name)) {
                            new Reading(backend, described, values).run();
                        }
                    }
                });
        return values;
    }

    private static final class Reading {
        private final HeapKeyedStateBackend<Object> backend;
        private final String name;
        private final StateDescriptor.Type type;
        private final TypeSerializer<Object> namespaces;
        private final TypeSerializer<Object> serializer;
        private final Map<String, String> into;

        Reading(
                HeapKeyedStateBackend<Object> backend,
                StateMetaInfoSnapshot described,
                Map<String, String> into) {
            this.backend = backend;
            this.name = described.getName();
            this.type =
                    StateDescriptor.Type.valueOf(
                            described.getOption(CommonOptionsKeys.KEYED_STATE_TYPE));
            this.namespaces = serializer(described, CommonSerializerKeys.NAMESPACE_SERIALIZER);
            this.serializer = serializer(described, CommonSerializerKeys.VALUE_SERIALIZER);
            this.into = into;
        }

        @SuppressWarnings("unchecked") // what was written with it says what it writes
        private static TypeSerializer<Object> serializer(
                StateMetaInfoSnapshot described, CommonSerializerKeys key) {
            return (TypeSerializer<Object>)
                    described.getTypeSerializerSnapshot(key).restoreSerializer();
        }

        @SuppressWarnings("unchecked") // as the descriptor says
        void run() throws Exception {
            List<Tuple2<Object, Object>> keys = backend.<Object>getKeysAndNamespaces(name).toList();
            Object state = backend.createOrUpdateInternalState(namespaces, descriptor());
            InternalKvState<Object, Object, Object> values =
                    (InternalKvState<Object, Object, Object>) state;
            for (Tuple2<Object, Object> key : keys) {
                backend.setCurrentKey(key.f0);
                values.setCurrentNamespace(key.f1);
                String text = text(key.f0, backend.getKeySerializer());
                if (!(key.f1 instanceof VoidNamespace)) {
                    text = part(text) + " in " + part(text(key.f1, namespaces));
                }
                if (state instanceof MapState<?, ?> map) {
                    addEntries(text, (MapState<Object, Object>) map);
                } else {
                    Object value = value(state);
                    if (value != null) {
                        into.put(text, text(value, serializer));
                    }
                }
            }
        }

        @SuppressWarnings("unchecked") // a map's serializer is one
        private void addEntries(String key, MapState<Object, Object> map) throws Exception {
            MapSerializer<Object, Object> entries =
                    (MapSerializer<Object, Object>) (TypeSerializer<?>) serializer;
            for (Map.Entry<Object, Object> entry : map.entries()) {
                into.put(
                        part(key) + ", " + part(text(entry.getKey(), entries.getKeySerializer())),
                        text(entry.getValue(), entries.getValueSerializer()));
            }
        }

        @SuppressWarnings("unchecked") // every other state of the heap has its values so
        private static Object value(Object state) throws Exception {
            return state instanceof ValueState<?> value
                    ? value.value()
                    : ((InternalAppendingState<Object, Object, Object, Object, Object>) state)
                            .getInternal();
        }

        private StateDescriptor<?, ?> descriptor() throws IOException {
            return switch (type) {
                case VALUE -> new ValueStateDescriptor<>(name, serializer);
                case LIST ->
                        new ListStateDescriptor<>(
                                name,
                                ((ListSerializer<?>) (TypeSerializer<?>) serializer)
                                        .getElementSerializer());
                case MAP -> map((MapSerializer<?, ?>) (TypeSerializer<?>) serializer);
                case REDUCING ->
                        new ReducingStateDescriptor<>(name, (one, other) -> one, serializer);
                case AGGREGATING ->
                        new AggregatingStateDescriptor<>(name, new Unused(), serializer);
                default ->
                        throw new IOException(
                                "state '" + name + "' is of an unknown kind: " + type);
            };
        }

        private <K, V> StateDescriptor<?, ?> map(MapSerializer<K, V> entries) {
            return new MapStateDescriptor<>(
                    name, entries.getKeySerializer(), entries.getValueSerializer());
        }
    }

    /** Nothing is added while state is compared. */
    private static final class Unused implements AggregateFunction<Object, Object, Object> {
        private static final long serialVersionUID = 1;

        @Override
        public Object createAccumulator() {
            throw new UnsupportedOperationException("state is only read");
        }

        @Override
        public Object add(Object value, Object accumulator) {
            throw new UnsupportedOperationException("state is only read");
        }

        @Override
        public Object getResult(Object accumulator) {
            throw new UnsupportedOperationException("state is only read");
        }

        @Override
        public Object merge(Object one, Object other) {
            throw new UnsupportedOperationException("state is only read");
        }
    }

    /** Text that no other text can be taken for where several are joined. */
    private static String part(String text) {
        return text.contains(", ") || text.contains(" in ") || text.contains("'")
                ? "'" + text.replace("'", "''") + "'"
                : text;
    }

    private static String text(Object value, TypeSerializer<Object> serializer) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        if (value == null) {
            return "null";
        }
        serializer.serialize(value, out);
        return text(value, out.getCopyOfBuffer());
    }

    private static String text(Object value, byte[] bytes) {
        boolean isItself =
                value instanceof Number
                        || value instanceof CharSequence
                        || value instanceof Boolean
                        || value instanceof Character;
        return isItself ? value.toString() : shown(bytes);
    }

    private static String shown(byte[] bytes) {
        if (bytes.length <= MOST_SHOWN) {
            return "0x" + HexFormat.of().formatHex(bytes);
        }
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return bytes.length + " bytes, SHA-256 " + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has it", e);
        }
    }
}
