/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.counter.CounterOptions;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.reconcile.Reconcile;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.job.format.JobInput;
import io.sluice.job.packet.Operation;
import io.sluice.kafka.TopicSchema;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the operations of Kafka topics: records of any kind that say which counter they add to, or
 * packets per source or service. An operation that clients sent more than once counts once.
 *
 * <p>The guarantee: that of {@link IdempotentCounters}, and every result is visible exactly once to
 * readers of committed records, across failures, restarts from savepoints and rescaling. Records
 * that cannot be read never fail the job, unless it is told to; they go to the dead-letter topic.
 *
 * <p>Every operator has a uid, so that a savepoint survives changes of the job around it.
 */
public final class CountersJob {
    /** Name and uid of the source of packets, as metrics and savepoints know it. */
    public static final String SOURCE = KafkaEnds.PACKETS;

    public static final String COUNTERS = "counters";

    /** Prefix of the sinks' uids; the counters' own uid is {@link #COUNTERS}. */
    static final String DUPLICATES_UID = "duplicates";

    static final String LATE_UID = "late";
    static final String ACKS_UID = "acknowledgements";
    static final String COMPARE_UID = "compare";

    private static final Logger LOG = LoggerFactory.getLogger(CountersJob.class);

    private CountersJob() {}

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link CountersOptions}
     */
    public static void main(String[] arguments) throws Exception {
        CountersOptions options = CountersOptions.parse(arguments);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        options.prepare(JobTopics.continues(env)).forEach(LOG::warn);
        define(env, options);
        env.executeAsync("sluice-counters");
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there.
     */
    public static void define(StreamExecutionEnvironment env, CountersOptions options) {
        if (options.isPackets()) {
            define(env, options, new CountedPackets(options));
        } else {
            define(env, options, new CountedMessages(options));
        }
    }

    private static <T, K> void define(
            StreamExecutionEnvironment env, CountersOptions options, CountedInput<T, K> input) {
        SingleOutputStreamOperator<T> operations = input.input().read(env);
        SingleOutputStreamOperator<CounterValue<K>> counters =
                count(operations, options, input, options.noFilter, COUNTERS);
        write(counters, COUNTERS, options.valueSchema(options.outputTopic, input.name()), options);
        if (!options.noFilter) {
            JobInput<T> ends = input.input();
            ends.setAside(
                    counters.getSideOutput(duplicates(input)),
                    DUPLICATES_UID,
                    options.duplicatesTopic);
            ends.setAside(counters.getSideOutput(late(input)), LATE_UID, options.lateTopic);
        }
        if (options.acksTopic != null) {
            write(
                    counters.getSideOutput(counted(input)),
                    ACKS_UID,
                    input.acknowledgements(options.acksTopic),
                    options);
        }
        if (options.compareTopic != null) {
            write(
                    count(operations, options, input, true, "compare"),
                    COMPARE_UID,
                    options.valueSchema(options.compareTopic, input.name()),
                    options);
        }
    }

    private static <T> OutputTag<T> duplicates(CountedInput<T, ?> input) {
        return new OutputTag<>("duplicates", input.input().type());
    }

    private static <T> OutputTag<T> late(CountedInput<T, ?> input) {
        return new OutputTag<>("late", input.input().type());
    }

    private static <T> OutputTag<T> counted(CountedInput<T, ?> input) {
        return new OutputTag<>("counted", input.input().type());
    }

    private static <V> void write(
            DataStream<V> values, String uid, TopicSchema<V> schema, CountersOptions options) {
        KafkaEnds.writeOnce(values, uid, schema, options, options.transactionalIdPrefix(), null);
    }

    /**
     * Only the first part of the job on packets: its operations, with event time, and the written
     * dead letters. Sets the same in {@code env} as {@link #define}.
     */
    public static SingleOutputStreamOperator<Operation> read(
            StreamExecutionEnvironment env, CountersOptions options) {
        return new CountedPackets(options).input().read(env);
    }

    /** Only the second part: the counters of {@code operations}, not written anywhere yet. */
    public static SingleOutputStreamOperator<CounterValue<Long>> count(
            DataStream<Operation> operations, CountersOptions options) {
        return count(operations, options, new CountedPackets(options), options.noFilter, COUNTERS);
    }

    private static <T, K> SingleOutputStreamOperator<CounterValue<K>> count(
            DataStream<T> operations,
            CountersOptions options,
            CountedInput<T, K> input,
            boolean withoutFilter,
            String uid) {
        boolean processing = options.isProcessingTime();
        Configuration configuration = options.operator.options();
        if (withoutFilter) {
            configuration.removeConfig(CounterOptions.TWO_PHASES);
        }
        IdempotentCounters<T, K> counters =
                input.counters()
                        .uid(withoutFilter ? uid + "-unfiltered" : uid)
                        .configure(configuration)
                        .timeDomain(processing ? TimeDomain.PROCESSING : TimeDomain.EVENT);
        if (!processing) {
            options.times.set(counters);
        }
        if (options.emitEvery.toMillis() > 0) {
            counters.emitEvery(options.emitEvery);
        }
        if (options.acksTopic != null && uid.equals(COUNTERS)) {
            counters.acknowledge(counted(input));
        }
        if (withoutFilter) {
            counters.withoutFilter();
        } else {
            counters.onDuplicate(OnDuplicate.sideOutput(duplicates(input)));
            if (!processing) {
                counters.onLate(OnLate.sideOutput(late(input)));
            }
        }
        if (!withoutFilter && options.agreement.areGiven()) {
            counters.corrections(
                    options.agreement.missed(
                            Reconcile.<T, K, Object>state(counters), operations, options));
        }
        return counters.apply(operations);
    }
}
