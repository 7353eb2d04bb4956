/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.annotation.Internal;

/** Lists the machines of a store that was written, without making one. Stateless. */
@Internal
public final class StoredStates {

    private StoredStates() {}

    /** Sees machines. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Sees a machine.
         *
         * @param id its hash or, in a store of fingerprints, its fingerprint
         * @param state the number of its state
         */
        void machine(long id, int state);
    }

    /**
     * Shows every machine once, in any order. O(machines).
     *
     * @param source what is read, for messages
     * @param kind of the store: not of filters, which cannot list what they hold
     * @param states how many there are
     * @return how many ids a machine may have, 0 for all of 64 bits: ids of two stores can be
     *     compared if that is equal
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     */
    public static long forEach(
            InputStream in, String source, StoreKind kind, int states, Visitor visitor)
            throws IOException {
        return switch (kind) {
            case EXACT -> {
                ExactFormat.forEach(
                        in,
                        source,
                        states,
                        (hash, state, lastMillis, slots) -> {
                            visitor.machine(hash, state);
                            return true;
                        });
                yield 0;
            }
            case FINGERPRINTS -> FingerprintFormat.forEach(in, source, states, visitor);
            case KBF -> throw new IllegalArgumentException("filters cannot list what they hold");
        };
    }
}
