/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * The state of an operator as far as it is compared. Key groups are asked for in ascending order.
 * Some methods are told what the other side has: one that is far away then sends only what is
 * different.
 */
interface ComparedOperator {

    /** Returns its uid, name or hash. */
    String title();

    int maxParallelism();

    /**
     * Returns the key groups that the operator keeps by itself; none if it is another's.
     *
     * @throws IOException if it cannot be told
     */
    Set<Integer> keyGroups() throws IOException;

    /**
     * Returns what one of these key groups says.
     *
     * @param ofOther what it says on the other side; null if that is not known
     * @param problems is told what is damaged
     * @return null if it is damaged
     */
    @Nullable
    ComparedKeyGroup keyGroup(
            int keyGroup, @Nullable ComparedKeyGroup ofOther, Consumer<Problem> problems)
            throws IOException;

    /**
     * Returns the states of the machines of the key group that was asked for last, by id.
     *
     * @param ofOther those of the other side
     */
    Map<String, String> machines(int keyGroup, Map<String, String> ofOther) throws IOException;

    /**
     * Returns the totals of the counters of a key group, by the text of the counter's key.
     *
     * @param ofOther those of the other side
     */
    Map<String, Long> totals(int keyGroup, Map<String, Long> ofOther) throws IOException;

    /**
     * Returns the membership states, by name.
     *
     * @param problems is told what is damaged
     */
    Map<String, ComparedFlags> flags(Consumer<Problem> problems) throws IOException;

    /** Returns the keyed state of a name; null if there is none. */
    @Nullable
    ComparedValues values(String state) throws IOException;
}
