/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.IOException;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Base of serializers of immutable values with a fixed length.
 *
 * @param <T> type of the values
 */
@Internal
public abstract class ImmutableSerializer<T> extends TypeSerializerSingleton<T> {

    private final int length;

    protected ImmutableSerializer(int length) {
        this.length = length;
    }

    @Override
    public final boolean isImmutableType() {
        return true;
    }

    @Override
    public final T copy(T from) {
        return from;
    }

    @Override
    public final T copy(T from, T reuse) {
        return from;
    }

    @Override
    public final int getLength() {
        return length;
    }

    @Override
    public final T deserialize(T reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public final void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, length);
    }

    /** Returns what reading a code throws that no release has written. */
    protected static IOException unknown(String what, IllegalArgumentException e) {
        return new IOException("damaged " + what + ": " + e.getMessage(), e);
    }
}
