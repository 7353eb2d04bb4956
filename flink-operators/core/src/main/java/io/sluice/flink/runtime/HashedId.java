/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import org.apache.flink.annotation.Internal;

/**
 * What {@link IdHasher} makes of an id: its hash, and the hash code of its key. Belongs to the
 * caller, who passes the same object again for the next id, so that nothing is allocated. Not
 * thread-safe.
 */
@Internal
public final class HashedId {

    private long hash;
    private int keyHashCode;

    /** Replaces both numbers. */
    public void set(long newHash, int newKeyHashCode) {
        hash = newHash;
        keyHashCode = newKeyHashCode;
    }

    /** Returns the hash of the id. */
    public long hash() {
        return hash;
    }

    /** Returns the {@code hashCode()} of the id's {@link IdHasher#key}. */
    public int keyHashCode() {
        return keyHashCode;
    }
}
