/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import java.time.Duration;

/** Log messages, at most one a minute. */
final class AttackMessages {

    private AttackMessages() {}

    static String ahead(String operator, Duration by) {
        return "Operator "
                + operator
                + ": the watermark is ahead of the wall clock by "
                + by
                + "; attempts with right timestamps are late, and no attack is seen in them. Keep"
                + " wild timestamps out of the watermarks (BelievableWatermarks), then restart the"
                + " job: the first watermark after a restart sets the clock.";
    }

    static String stalled(String operator, Duration since) {
        return "Operator "
                + operator
                + ": the watermark has stood still for "
                + since
                + ", though attempts come: no attack is reported until it moves, and the smallest"
                + " services and hosts beyond the option parties are forgotten. Assign watermarks"
                + " before the operator, and give a source or partition without records"
                + " withIdleness(...).";
    }

    static String forgotten(String operator, long more, int parties) {
        return "Operator "
                + operator
                + ": "
                + more
                + " services or hosts were forgotten, as the option parties is "
                + parties
                + ". Attacks of large ones are still seen. Raise parties (--attack-parties,"
                + " sluice.attacks.parties), or expect this during a flood from made-up addresses.";
    }
}
