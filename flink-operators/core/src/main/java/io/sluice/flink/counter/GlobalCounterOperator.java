/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import io.sluice.flink.OptionException;
import io.sluice.flink.TimeDomain;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds up what subtasks have summed: the second of two phases.
 *
 * @param <K> type of the counters' keys
 */
final class GlobalCounterOperator<K> extends PlainCounterOperator<CounterUpdate<K>, K> {

    private static final Logger LOG = LoggerFactory.getLogger(GlobalCounterOperator.class);

    /** Counts the sums that have come. */
    static final String SUMS = "sums";

    static final String ENGINE = "counters of summed operations";

    GlobalCounterOperator(Counting<CounterUpdate<K>, K> counting, TimeDomain timeDomain) {
        super(ENGINE, counting, timeDomain);
    }

    /**
     * Without alignment, a sum of operations that the first phase has not yet in its snapshot may
     * be in this one's, and they are counted again after a restore.
     */
    @Override
    public void open() throws Exception {
        super.open();
        Configuration job = getContainingTask().getJobConfiguration();
        if (!CheckpointingOptions.isCheckpointingEnabled(job)) {
            LOG.warn(
                    "{}: checkpointing is off, so Flink does not align a savepoint while the job"
                            + " goes on, and operations in it may count twice after a restore."
                            + " Switch checkpointing on ({}), or take savepoints with 'stop' only.",
                    describe(),
                    CheckpointingOptions.CHECKPOINTING_INTERVAL.key());
        } else if (CheckpointingOptions.getCheckpointingMode(job)
                != CheckpointingMode.EXACTLY_ONCE) {
            throw new OptionException(
                    describe(),
                    ": twoPhases (",
                    CounterOptions.TWO_PHASES.key(),
                    ") needs EXACTLY_ONCE checkpoints, but ",
                    CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE.key(),
                    " is AT_LEAST_ONCE, with which operations may count twice after a restore."
                            + " Change it, or leave twoPhases out.");
        }
    }

    @Override
    String metricOfRecords() {
        return SUMS;
    }

    @Override
    void count(K counter, StreamRecord<CounterUpdate<K>> record) throws Exception {
        CounterUpdate<K> update = record.getValue();
        add(counter, update.delta(), update.expectedUndercount(), update.timestamp());
    }
}
