/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.flink.counter.CounterValue;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** The first and the last operator of a job that ends by itself; both tell the {@link Progress}. */
public final class JobEnds {
    private JobEnds() {}

    /** Begins the time with the first record of {@code source}. */
    public static <T> DataStream<T> begin(SingleOutputStreamOperator<T> source) {
        return source.map(new Begin<>(), source.getType()).uid("begin");
    }

    /** Ends the time when the input has ended, without waiting for the last checkpoint. */
    public static <T> void end(DataStream<T> results) {
        results.transform("end", results.getType(), new End<T>()).sinkTo(new DiscardingSink<>());
    }

    /** Tells when the first record comes. */
    private static final class Begin<T> extends RichMapFunction<T, T> {
        private transient boolean started;

        @Override
        public void open(OpenContext context) {
            started = false;
        }

        @Override
        public T map(T value) {
            if (!started) {
                started = true;
                Progress.current().firstRecord();
            }
            return value;
        }
    }

    /** Counts records, or sums the last values of counters. */
    private static final class End<T> extends AbstractStreamOperator<T>
            implements OneInputStreamOperator<T, T> {
        private transient Map<Object, Long> counters;
        private transient long passed;

        @Override
        public void open() throws Exception {
            super.open();
            counters = new HashMap<>();
        }

        @Override
        public void processElement(StreamRecord<T> record) {
            if (record.getValue() instanceof CounterValue<?> counter) {
                counters.put(counter.counter(), counter.value());
            } else {
                passed++;
            }
        }

        @Override
        public void finish() throws Exception {
            super.finish();
            Progress.current().ended(passed + counters.values().stream().mapToLong(v -> v).sum());
        }
    }
}
