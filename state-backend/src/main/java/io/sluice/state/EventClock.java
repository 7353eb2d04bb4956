/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * The clock of states with a time-to-live in an operator that gives records times of their own,
 * which are out of order. What is marked lives from {@link #currentTimestamp}, and expires by
 * {@link #reached}: so whatever the order, a mark is there when a record comes that is less than
 * the time-to-live later, unless that is behind {@link #reached}.
 */
@Internal
public interface EventClock extends TtlTimeProvider {

    /**
     * Returns the greatest time so far, at least {@link #reached}; {@link Long#MIN_VALUE} before
     * the first, when nothing may be marked.
     */
    @Override
    long currentTimestamp();

    /**
     * Returns the time that records to come have reached, such as the watermark; {@link
     * Long#MIN_VALUE} if it is not known.
     */
    long reached();

    /**
     * Returns the greatest time that is believed of marks of before, at least {@link
     * #currentTimestamp}; {@link Long#MAX_VALUE} if it is not known. Those that were marked later
     * live from it.
     */
    long bound();
}
