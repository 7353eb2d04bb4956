/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * Reads the event out of a record.
 *
 * @param <T> type of the records
 */
@Experimental
@FunctionalInterface
public interface EventSelector<T> extends Serializable {

    /**
     * Returns the name of the event, such as the {@code name()} of an enum's constant; null if the
     * record is not an event, so that it is skipped and counted. A name that the machine does not
     * have is an event that is illegal in every state.
     */
    @Nullable
    String event(T record) throws Exception;
}
