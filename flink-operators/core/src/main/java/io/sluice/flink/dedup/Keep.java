/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.annotation.PublicEvolving;

/** Which record of an id passes in each window. */
@PublicEvolving
public enum Keep {
    /** The first to arrive passes, at once. */
    FIRST,

    /** The last by time passes, when the window has ended. */
    LAST
}
