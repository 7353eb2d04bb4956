/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import org.apache.flink.annotation.Experimental;

/**
 * Why a message of the peer had no effect. Each reason is a metric, and none fails the job: the
 * peer's next retry brings the content again.
 */
@Experimental
public enum Refusal {

    /** Checksum, length or content are impossible. */
    DAMAGED("refusedDamaged"),

    /** Another format version or hash algorithm: one replica is newer. */
    VERSION("refusedVersion"),

    /** Other windows, groups, ids or seed: the replicas are not configured alike. */
    FOREIGN("refusedForeign"),

    /** Sent by this replica itself: it reads its own topics, or both have one name. */
    OWN("refusedOwn"),

    /** Sent by, or for, somebody other than the two replicas. */
    STRANGER("refusedStranger"),

    /** Seen before. */
    DUPLICATE("refusedDuplicate"),

    /** Overtaken by a later one, or about a window that is finished here, which is answered. */
    OLD("refusedOld"),

    /**
     * About a window that is not closed here yet: too many such windows wait, or this one is too
     * far ahead.
     */
    NO_ROOM("refusedNoRoom");

    private final String metric;

    Refusal(String metric) {
        this.metric = metric;
    }

    /** Name of the counter in the operator's group. */
    public String metric() {
        return metric;
    }
}
