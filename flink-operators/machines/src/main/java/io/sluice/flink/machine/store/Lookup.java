/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.flink.machine.store.GenerationalStore.Generation;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A machine that an event belongs to, and what a {@link StateStore} has found out about it: {@link
 * StateStore#find} notes it here, so that {@link StateStore#put} needs no search of its own.
 * Belongs to the caller, who uses the same object for the next event, so that nothing is allocated.
 */
@Internal
public final class Lookup {

    /** Hash of the machine. */
    long hash;

    /** Event time of the event, in ms. */
    long millis;

    /** What was found: a state, or absent or ambiguous. */
    int state = StateStore.ABSENT;

    /**
     * In {@link ExactStore} the slot of the machine, in {@link FingerprintStore} its state and age;
     * negative if the machine is absent.
     */
    int slot;

    /** In {@link FingerprintStore}: what the machine is known by. */
    long fingerprint;

    /** In {@link GenerationalStore}: where the machine is; null if it is absent. */
    @Nullable Generation generation;

    /** Begins to look for a machine. */
    void begin(long ofHash, long atMillis) {
        hash = ofHash;
        millis = atMillis;
        state = StateStore.ABSENT;
        slot = -1;
        generation = null;
    }
}
