/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/**
 * Why an exchange went on with filters after it had begun with coded symbols. Persisted by {@link
 * #code}.
 */
@Experimental
public enum Fallback {

    /** It did not. */
    NONE(0),

    /** As many symbols as are allowed do not tell the difference. */
    TOO_MANY_DIFFERENCES(1),

    /** The symbols contradict each other: they were made up, or an element was mistaken. */
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
