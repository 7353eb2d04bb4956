/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/** What survives when the process or the machine stops without closing the filter. */
public enum SyncPolicy {

    /**
     * Nothing needs to survive: for a working copy whose truth is elsewhere, such as in a
     * checkpoint. Nothing is synced, and closing does not flush.
     */
    NEVER,

    /** Everything acknowledged before the last completed {@link CascadeFilter#flush}. */
    ON_FLUSH,

    /**
     * As {@link #ON_FLUSH}, plus everything that has left the memory buffers: at most their content
     * is lost.
     */
    EVERY_FILE
}
