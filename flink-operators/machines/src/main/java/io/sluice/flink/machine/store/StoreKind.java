/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import org.apache.flink.annotation.Experimental;

/** What remembers machines. */
@Experimental
public enum StoreKind {
    /** {@link GenerationalStore} over key-value Bloom filters. */
    KBF,

    /** {@link FingerprintStore}. */
    FINGERPRINTS,

    /** {@link ExactStore}. */
    EXACT
}
