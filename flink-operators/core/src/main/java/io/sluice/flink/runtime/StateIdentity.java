/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.IOException;
import org.apache.flink.annotation.Internal;

/**
 * What a {@link KeyGroupedState} was made of beyond its layout, as opaque bytes: written into every
 * key group, and checked before a structure is used again.
 */
@Internal
public interface StateIdentity {

    /** Most {@link #bytes}: they are in the header of every key group. */
    int MAX_BYTES = 1 << 18;

    /** An identity of the layout alone. */
    StateIdentity NONE =
            new StateIdentity() {
                @Override
                public byte[] bytes() {
                    return new byte[0];
                }

                @Override
                public void check(byte[] written, String source) throws IOException {
                    if (written.length > 0) {
                        throw new IllegalStateException(
                                source
                                        + ": was made of ids, but the operator has none: give it a"
                                        + " new uid and start it without this state.");
                    }
                }
            };

    /** Returns the bytes to write: at most {@link #MAX_BYTES}, always the same. */
    byte[] bytes();

    /**
     * Returns if structures that were written with {@code written} can be used as they are.
     *
     * @param source names operator and key group, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws IllegalStateException if the structures were made of something else
     */
    void check(byte[] written, String source) throws IOException;
}
