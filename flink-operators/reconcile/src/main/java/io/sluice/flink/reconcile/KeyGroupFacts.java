/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.message.Setup;
import java.util.Map;

/**
 * What the state of a key group contains besides its exchanges.
 *
 * @param setup under which it was written
 * @param replica name of this side
 * @param peer name of the other side
 * @param idType names the type of the ids
 * @param incarnation see {@link Side}
 * @param watermark event time, {@link GroupExchanges#NONE} before any
 * @param forgotten the ranges of {@link ForgottenWindows}, by number
 */
record KeyGroupFacts(
        Setup setup,
        String replica,
        String peer,
        String idType,
        long incarnation,
        long watermark,
        Map<Long, Long> forgotten) {

    /**
     * Returns if exchanges that were written under these facts can go on under {@code settings}.
     *
     * @param operator how the message names it
     * @throws IllegalStateException naming an option that differs, and both values
     */
    void check(ReconcileSettings settings, String nowIdType, String operator) {
        Setup now = settings.setup();
        same("replica", replica, settings.replica(), operator);
        same("peer", peer, settings.peer(), operator);
        same("window", setup.windowMillis() + " ms", now.windowMillis() + " ms", operator);
        same("groups", setup.groups(), now.groups(), operator);
        same("seed", setup.seed(), now.seed(), operator);
        same("the type of the ids (by, idType)", idType, nowIdType, operator);
        same("the hashing of the ids (by, idType)", setup.scheme(), now.scheme(), operator);
    }

    private static void same(String option, Object before, Object now, String operator) {
        if (!before.equals(now)) {
            throw new IllegalStateException(
                    operator
                            + ": its state was written with "
                            + option
                            + " = "
                            + before
                            + ", but "
                            + option
                            + " now is "
                            + now
                            + ", and the exchanges that are under way cannot continue with that:"
                            + " set it back, or give the operator a new uid and start it without"
                            + " this state.");
        }
    }
}
