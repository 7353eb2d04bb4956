/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

/**
 * What happens to records without a value, by which a compacted topic deletes a key. Those that
 * pass stay behind the records of their key that came before them.
 */
public enum Tombstones {
    /** Each passes. */
    FORWARD,
    /** Its id is its key, so that of several within the window one passes. */
    ID_OF_KEY,
    /** They end here, counted. */
    DROP;

    /** Whether they keep their order among the records of their key. */
    public boolean pass() {
        return this != DROP;
    }
}
