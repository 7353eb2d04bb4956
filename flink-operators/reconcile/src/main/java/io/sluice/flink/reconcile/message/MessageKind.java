/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.message;

import org.apache.flink.annotation.Experimental;

/** What a message is about. Persisted and sent by {@link #code}. */
@Experimental
public enum MessageKind {

    /** Order-free totals of a multiset: equal totals mean equal multisets, and end the exchange. */
    DIGEST(0),

    /** The totals and a counting cuckoo filter of the multiset, to be answered with a repair. */
    FILTER(1),

    /** Elements with their multiplicities at the sender that the peer may lack. */
    REPAIR(2),

    /** The totals and coded symbols of the multiset, answered with a repair or a shortage. */
    SYMBOLS(3),

    /** The symbols do not tell the difference. */
    SHORTAGE(4);

    private static final MessageKind[] ALL = values();

    private final int code;

    MessageKind(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Null if no kind has the code. */
    public static MessageKind ofCode(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : null;
    }
}
