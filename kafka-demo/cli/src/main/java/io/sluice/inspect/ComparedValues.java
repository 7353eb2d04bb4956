/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** A keyed state of a job, as far as it is compared. */
interface ComparedValues {

    /** Returns its kind, and what wrote its values. */
    String writtenBy();

    /** Returns the key groups of all subtasks. */
    Set<Integer> keyGroups();

    /**
     * Returns the values of a key group, by key.
     *
     * @param ofOther those of the other side
     */
    Map<String, String> of(int keyGroup, Map<String, String> ofOther) throws IOException;
}
