/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;

/**
 * The key by which Flink distributes records with an id. It is the id itself, but for {@code
 * byte[]}, whose {@code hashCode()} says nothing about its contents: there it is the text that has
 * a char per byte (Latin-1), which is equal if and only if the bytes are.
 */
final class StreamKey {

    private StreamKey() {}

    @SuppressWarnings("unchecked")
    static <T, K> KeyedStream<T, ?> keyBy(
            DataStream<T> records, KeySelector<T, K> idSelector, TypeInformation<K> idType) {
        if (isBytes(idType)) {
            KeySelector<T, byte[]> bytes = (KeySelector<T, byte[]>) idSelector;
            return records.keyBy(record -> text(bytes.getKey(record)), Types.STRING);
        }
        return records.keyBy(idSelector, idType);
    }

    /** The key of an id. */
    static Object of(Object id) {
        return id instanceof byte[] bytes ? text(bytes) : id;
    }

    /** {@code of(id).hashCode()}, without allocating. */
    static int hashCode(Object id) {
        if (!(id instanceof byte[] bytes)) {
            return id.hashCode();
        }
        int hash = 0;
        for (byte b : bytes) {
            hash = 31 * hash + (b & 0xff);
        }
        return hash;
    }

    private static boolean isBytes(TypeInformation<?> type) {
        return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO.equals(type);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
