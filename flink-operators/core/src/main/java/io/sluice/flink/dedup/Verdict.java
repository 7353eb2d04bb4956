/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import org.apache.flink.annotation.Internal;

/** What is known of a record's id. */
@Internal
public enum Verdict {
    /** Not seen in the window; now remembered. */
    FIRST,
    /** The id was reported as seen, and the content too where contents are compared. */
    DUPLICATE,
    /** The id was reported as seen, but no record that passed had the content. */
    CONFLICT,
    /** The id was reported as seen, but a content to compare with is not held. */
    UNCOMPARED,
    /** Older than what is held, and not held: undecidable. Not remembered. */
    LATE;

    /** Returns whether the id was reported as seen. */
    boolean isDuplicate() {
        return this == DUPLICATE || this == CONFLICT || this == UNCOMPARED;
    }

    /**
     * Returns what two comparisons of one record with different records say together: it conflicts
     * only if it differs from both.
     */
    Verdict and(Verdict other) {
        if (!isDuplicate() || !other.isDuplicate()) {
            return isDuplicate() ? other : this;
        }
        if (this == DUPLICATE || other == DUPLICATE) {
            return DUPLICATE;
        }
        return this == CONFLICT && other == CONFLICT ? CONFLICT : UNCOMPARED;
    }
}
