/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.KeyedStateBackend.KeySelectionListener;

/**
 * The current key and its hash, shared by all membership states of a backend: the hash is computed
 * once for each key that is set, when it is first needed. Learns of a new key as a listener, so it
 * does not matter who sets it.
 *
 * @param <K> type of the keys
 */
final class CurrentKey<K> implements KeySelectionListener<K> {

    private final InternalKeyContext<K> context;
    private final KeyFingerprinter<K> fingerprinter;

    private long serial;
    private boolean isHashed;
    private long hash;

    CurrentKey(InternalKeyContext<K> context, KeyFingerprinter<K> fingerprinter) {
        this.context = context;
        this.fingerprinter = fingerprinter;
    }

    /** The new key is read only when it is needed: at this point it is not yet in the context. */
    @Override
    public void keySelected(K newKey) {
        serial++;
        isHashed = false;
    }

    /** Changes whenever a key is set, even if it equals the last one. */
    long serial() {
        return serial;
    }

    int keyGroup() {
        return context.getCurrentKeyGroupIndex();
    }

    long hash() throws IOException {
        return isHashed ? hash : computeHash();
    }

    /** Returns the hash of a key, which need not be the current one. */
    long hashOf(K anyKey) throws IOException {
        return fingerprinter.hash(anyKey);
    }

    private long computeHash() throws IOException {
        K key = context.getCurrentKey();
        if (key == null) {
            throw new IllegalStateException(
                    "No key is set: keyed state may be used only while a record or a timer of a"
                            + " keyed stream is processed.");
        }
        hash = fingerprinter.hash(key);
        isHashed = true;
        return hash;
    }
}
