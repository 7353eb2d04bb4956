/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import org.apache.flink.annotation.Internal;

/** What a plan has to find; everything else is given. */
@Internal
public enum Find {
    /** The least memory. */
    MEMORY,
    /** The longest window. */
    WINDOW,
    /** The most new ids a second. */
    RATE,
    /** The least probability. */
    FPP,
    /** The fewest subtasks. */
    PARALLELISM,
    /** The most keys that a set without a window may have. */
    KEYS,
    /** Nothing: whether all of it fits together. */
    NOTHING
}
