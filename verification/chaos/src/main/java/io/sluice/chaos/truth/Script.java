/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.util.function.LongFunction;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What a generator sends, without end: a function of the seed, but for the times. */
public interface Script {
    /**
     * A record that is due.
     *
     * @param dueMillis since the start; never less than that of the one before
     * @param record given the time at which it is sent, in milliseconds since 1970
     */
    record Planned(long dueMillis, LongFunction<ProducerRecord<byte[], byte[]>> record) {}

    /** The next record. */
    Planned next();

    /**
     * From the next new id on, some ids have times that are wrong by {@code millis}; 0 ends it.
     * Other scripts have no times that could be wrong.
     */
    default void wildTimes(long millis) {}
}
