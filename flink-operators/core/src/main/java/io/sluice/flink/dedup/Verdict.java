/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.annotation.Internal;

/** What is known of a record's id. */
@Internal
public enum Verdict {
    /** Not seen in the window; now remembered. */
    FIRST,
    /** The id was reported as seen, and the filter did not change. */
    DUPLICATE,
    /** Older than what is held, and not held: undecidable. Not remembered. */
    LATE
}
