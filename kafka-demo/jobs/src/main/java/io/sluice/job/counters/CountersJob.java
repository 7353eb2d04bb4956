/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.job.packet.Operation;
import io.sluice.job.packet.OperationSchema;
import io.sluice.job.packet.PacketEnds;
import io.sluice.job.packet.Reduction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;

/**
 * Counts the packets of a Kafka topic per source or service; a packet that clients sent more than
 * once counts once.
 *
 * <p>The guarantee: that of {@link IdempotentCounters}, and every result is visible exactly once to
 * readers of committed records, across failures, restarts from savepoints and rescaling. Records
 * that cannot be read never fail the job; they go to the dead-letter topic.
 *
 * <p>Every operator has a uid, so that a savepoint survives changes of the job around it.
 */
public final class CountersJob {
    /** Name and uid of the operators, as metrics and savepoints know them. */
    public static final String SOURCE = KafkaEnds.PACKETS;

    public static final String COUNTERS = "counters";

    /** Prefix of the sinks' uids; the counters' own uid is {@link #COUNTERS}. */
    static final String DUPLICATES_UID = "duplicates";

    static final String LATE_UID = "late";
    static final String COMPARE_UID = "compare";

    private static final OutputTag<Operation> DUPLICATES =
            new OutputTag<>("duplicates", Operation.TYPE);
    private static final OutputTag<Operation> LATE = new OutputTag<>("late", Operation.TYPE);

    private CountersJob() {}

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link CountersOptions}
     */
    public static void main(String[] arguments) throws Exception {
        CountersOptions options = CountersOptions.parse(arguments);
        JobTopics.prepare(options);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        define(env, options);
        env.executeAsync("sluice-counters");
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there.
     */
    public static void define(StreamExecutionEnvironment env, CountersOptions options) {
        PacketEnds ends = new PacketEnds(options);
        SingleOutputStreamOperator<Operation> operations = read(env, options);
        SingleOutputStreamOperator<CounterValue<Long>> counters = count(operations, options);
        ends.write(
                counters, COUNTERS, new CounterValueSchema(options.outputTopic, options.countBy));
        if (!options.noFilter) {
            ends.write(
                    counters.getSideOutput(DUPLICATES),
                    DUPLICATES_UID,
                    new OperationSchema(options.duplicatesTopic, options.countBy));
            ends.write(
                    counters.getSideOutput(LATE),
                    LATE_UID,
                    new OperationSchema(options.lateTopic, options.countBy));
        }
        if (options.compareTopic != null) {
            ends.write(
                    count(operations, options, true, "compare"),
                    COMPARE_UID,
                    new CounterValueSchema(options.compareTopic, options.countBy));
        }
    }

    /**
     * Only the first part of the job: its operations, with event time, and the written dead
     * letters. Sets the same in {@code env} as {@link #define}.
     */
    public static SingleOutputStreamOperator<Operation> read(
            StreamExecutionEnvironment env, CountersOptions options) {
        return new PacketEnds(options)
                .read(env, Reduction.toCounter(options.countBy), options.deadLetterTopic);
    }

    /** Only the second part: the counters of {@code operations}, not written anywhere yet. */
    public static SingleOutputStreamOperator<CounterValue<Long>> count(
            DataStream<Operation> operations, CountersOptions options) {
        return count(operations, options, options.noFilter, COUNTERS);
    }

    private static SingleOutputStreamOperator<CounterValue<Long>> count(
            DataStream<Operation> operations,
            CountersOptions options,
            boolean withoutFilter,
            String uid) {
        IdempotentCounters<Operation, Long> counters =
                IdempotentCounters.of(Operation::counter)
                        .counterType(Types.LONG)
                        .operation(Operation::operationId, Types.LONG)
                        .uid(withoutFilter ? uid + "-unfiltered" : uid)
                        .configure(options.operator.options())
                        .timeDomain(TimeDomain.EVENT);
        options.times.set(counters);
        if (options.emitEvery.toMillis() > 0) {
            counters.emitEvery(options.emitEvery);
        }
        if (withoutFilter) {
            counters.withoutFilter();
        } else {
            counters.onDuplicate(OnDuplicate.sideOutput(DUPLICATES))
                    .onLate(OnLate.sideOutput(LATE));
        }
        return counters.apply(operations);
    }
}
