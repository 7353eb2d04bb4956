/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What oracles have seen.
 *
 * @param backends keyed backends that were made
 * @param restored how many of them from a checkpoint
 * @param snapshots checkpoints and savepoints of keyed backends
 * @param canaries keyed backends with the suite's own states
 * @param memberships states of the tests themselves that went into filters
 * @param asked questions to filters
 * @param marked how many of them about a marked key
 * @param denied how many of them were denied
 * @param falsePositives keys reported as marked that were not
 */
public record Counts(
        @JsonProperty("backends") long backends,
        @JsonProperty("restored") long restored,
        @JsonProperty("snapshots") long snapshots,
        @JsonProperty("canaries") long canaries,
        @JsonProperty("memberships") long memberships,
        @JsonProperty("asked") long asked,
        @JsonProperty("marked") long marked,
        @JsonProperty("denied") long denied,
        @JsonProperty("falsePositives") long falsePositives) {

    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0);

    Counts minus(Counts before) {
        return new Counts(
                backends - before.backends,
                restored - before.restored,
                snapshots - before.snapshots,
                canaries - before.canaries,
                memberships - before.memberships,
                asked - before.asked,
                marked - before.marked,
                denied - before.denied,
                falsePositives - before.falsePositives);
    }

    Counts plus(Counts other) {
        return minus(NONE.minus(other));
    }
}
