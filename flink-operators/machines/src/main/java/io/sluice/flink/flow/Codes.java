/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.annotation.Internal;

/** Finds values by their persistent numbers, which count from 0. */
@Internal
public final class Codes {

    private Codes() {}

    /**
     * The value with this code.
     *
     * @param all index: the code
     * @throws IllegalArgumentException if there is none
     */
    public static <E> E find(E[] all, int code) {
        if (code < 0 || code >= all.length) {
            throw new IllegalArgumentException(
                    "code must be between 0 and " + (all.length - 1) + ", got " + code);
        }
        return all[code];
    }
}
