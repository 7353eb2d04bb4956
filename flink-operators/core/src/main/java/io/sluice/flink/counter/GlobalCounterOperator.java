/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import io.sluice.flink.TimeDomain;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Adds up what subtasks have summed: the second of two phases.
 *
 * @param <K> type of the counters' keys
 */
final class GlobalCounterOperator<K> extends PlainCounterOperator<CounterUpdate<K>, K> {

    static final String ENGINE = "counters of summed operations";

    GlobalCounterOperator(Counting<CounterUpdate<K>, K> counting, TimeDomain timeDomain) {
        super(ENGINE, counting, timeDomain);
    }

    @Override
    void count(K counter, StreamRecord<CounterUpdate<K>> record) throws Exception {
        CounterUpdate<K> update = record.getValue();
        add(counter, update.delta(), update.expectedUndercount(), update.timestamp());
    }
}
