/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Experimental;

/** What remembers flows. */
@Experimental
public enum StoreKind {
    /** {@link GenerationalFlowStore} over key-value Bloom filters. */
    KBF,

    /** {@link ExactFlowStore}. */
    EXACT
}
