/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.job.format.JobInput;
import org.apache.flink.util.function.SerializableFunction;

/**
 * What a job counts: where operations come from, and what their counters are called.
 *
 * @param <T> type of the operations
 * @param <K> type of the counters' keys
 */
interface CountedInput<T, K> {

    /** Returns where operations come from, and where those go that are not counted. */
    JobInput<T> input();

    /** Returns counters that know counter, id and delta of an operation, and nothing else. */
    IdempotentCounters<T, K> counters();

    /** Returns what names a counter, as the key of its values. */
    SerializableFunction<K, byte[]> name();

    /** Returns how it is written that an operation counts. */
    AcknowledgementSchema<T> acknowledgements(String topic);
}
