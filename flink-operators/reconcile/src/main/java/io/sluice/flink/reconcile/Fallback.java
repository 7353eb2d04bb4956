/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/** Why a replica sent a filter after coded symbols. Persisted by {@link #code}. */
@Experimental
public enum Fallback {

    /** It did not. */
    NONE(0),

    /**
     * So much differs that the symbols would take more bytes than a filter, or than a message may
     * have. A further round, in which little differs, may have symbols again.
     */
    TOO_MANY_DIFFERENCES(1),

    /**
     * The symbols contradict each other: they were made up, or an element was mistaken. There are
     * only filters from now on.
     */
    CONTRADICTORY_SYMBOLS(2);

    private static final Fallback[] ALL = values();

    private final int code;

    Fallback(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** Null if none has the code. */
    static Fallback ofCode(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : null;
    }
}
