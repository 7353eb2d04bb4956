/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.element;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.runtime.IdHasher;
import java.io.IOException;
import java.io.Serializable;
import java.math.BigInteger;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Ids as bytes, and their hashes. Not thread-safe.
 *
 * @param <K> type of the ids
 */
@Internal
public final class ElementIds<K> implements Serializable {

    private final IdHasher<K> hasher;
    private final TypeSerializer<K> serializer;
    @Nullable private transient DataOutputSerializer buffer;

    public ElementIds(IdHasher<K> hasher, TypeSerializer<K> serializer) {
        this.hasher = requireNonNull(hasher, "hasher");
        this.serializer = requireNonNull(serializer, "serializer");
    }

    public long hash(K id) throws IOException {
        return hasher.hash(id);
    }

    /** Returns the name of the type of the ids; equal types have equal names. */
    public String typeName() {
        return hasher.typeName();
    }

    public byte[] bytes(K id) throws IOException {
        if (buffer == null) {
            buffer = new DataOutputSerializer(64);
        }
        buffer.clear();
        serializer.serialize(id, buffer);
        return buffer.getCopyOfBuffer();
    }

    /**
     * Returns the id that {@link #bytes} wrote, here or at a peer whose integral ids are wider or
     * narrower.
     *
     * @throws IOException if the bytes are something else, or a number that is too large for K
     */
    public K read(byte[] bytes) throws IOException {
        int width = serializer.getLength();
        boolean isOtherWidth =
                hasher.scheme() == IdHasher.Scheme.NUMBER && width > 0 && bytes.length != width;
        return deserialize(isOtherWidth ? resized(bytes, width) : bytes);
    }

    /** The same number, big-endian and with its sign, in another width. */
    private static byte[] resized(byte[] number, int width) throws IOException {
        if (number.length == 0 || number.length > Long.BYTES) {
            throw new IOException("no number of " + number.length + " bytes");
        }
        BigInteger value = new BigInteger(number);
        if (value.bitLength() >= width * Byte.SIZE) {
            throw new IOException("a number too large for " + width + " bytes: " + value);
        }
        byte[] resized = new byte[width];
        for (int i = 0; i < width; i++) {
            resized[width - 1 - i] = value.shiftRight(i * Byte.SIZE).byteValue();
        }
        return resized;
    }

    private K deserialize(byte[] bytes) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes);
        K id;
        try {
            id = serializer.deserialize(in);
        } catch (RuntimeException | OutOfMemoryError e) {
            // Serializers may throw anything on foreign bytes. They believe each length, and an
            // array that is refused leaves the heap as it was.
            throw new IOException("no id: " + e, e);
        }
        if (id == null) {
            throw new IOException("no id, but a null");
        }
        if (in.available() > 0) {
            throw new IOException(in.available() + " bytes behind an id");
        }
        return id;
    }
}
