/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import io.sluice.bench.run.EverySecond;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackendFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** The two jobs. */
enum SoakJob {
    /**
     * {@link Deduplicate} on forgetful filters, in event time that runs as fast as the job does.
     */
    WINDOW,
    /** A flag for each key with a time-to-live, in cascade filters, over RocksDB. */
    STATE;

    static final int PARALLELISM = 2;

    /** Of event time. */
    static final Duration WINDOW_LENGTH = Duration.ofMinutes(1);

    /** How often event time of a window passes depends on the rate alone. */
    static final long RECORDS_PER_WINDOW = 2_000_000;

    static final double FPP = 1e-6;

    /** Of the flags. */
    static final String STATE_NAME = "seen";

    /** Event time does not pass by itself. */
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private static final MemorySize WINDOW_MEMORY = MemorySize.ofMebiBytes(64);

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Repeats come inside the window. An id of {@link #WINDOW} comes back after two and a half,
     * when it has certainly been forgotten. What the state remembers depends on the wall clock, so
     * its repeats come soon, and its ids never come back.
     */
    SoakIds ids(long seed, SoakPlan plan) {
        return this == WINDOW
                ? new SoakIds(seed, RECORDS_PER_WINDOW * 9 / 10, RECORDS_PER_WINDOW * 5 / 2)
                : new SoakIds(~seed, plan.stateRange(), 0);
    }

    void configure(Configuration configuration, SoakPlan plan) {
        if (this == WINDOW) {
            configuration.set(StateBackendOptions.STATE_BACKEND, "hashmap");
            return;
        }
        configuration.set(
                StateBackendOptions.STATE_BACKEND, CascadeStateBackendFactory.class.getName());
        configuration.set(CascadeBackendOptions.STATES, List.of(STATE_NAME));
        configuration.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, FPP);
        configuration.set(CascadeBackendOptions.CAPACITY, plan.stateCapacity());
    }

    void build(StreamExecutionEnvironment env, SoakIds ids, SoakPlan plan) {
        long perSecond = RECORDS_PER_WINDOW / WINDOW_LENGTH.toSeconds();
        DataStream<Long> numbers =
                env.fromSource(
                                new NumberSequenceSource(0, Long.MAX_VALUE - 1),
                                WatermarkStrategy.<Long>forGenerator(context -> new EverySecond())
                                        .withTimestampAssigner(
                                                (number, none) -> number * 1000 / perSecond),
                                "numbers")
                        .uid("numbers")
                        .setParallelism(1)
                        .map(new SoakCounter(this))
                        .uid("counter")
                        .setParallelism(1);
        DataStream<Long> marked =
                switch (this) {
                    case WINDOW ->
                            Deduplicate.<Long, Long>by(ids::id)
                                    .idType(Types.LONG)
                                    .uid("dedup")
                                    .within(WINDOW_LENGTH)
                                    .falsePositiveProbability(FPP)
                                    .expecting(perSecond)
                                    .memory(WINDOW_MEMORY)
                                    .onDuplicate(OnDuplicate.tag(number -> ~number))
                                    .apply(numbers);
                    case STATE ->
                            numbers.keyBy(ids::id, Types.LONG)
                                    .map(new Mark(plan.timeToLive()))
                                    .returns(Types.LONG)
                                    .uid("seen");
                };
        marked.map(new SoakTally(this, ids, this == STATE ? plan.timeToLive() : FOR_EVER))
                .uid("tally")
                .sinkTo(new DiscardingSink<>())
                .uid("end");
    }

    /** The complement of a number whose key was seen. */
    private static final class Mark extends RichMapFunction<Long, Long> {
        private static final long serialVersionUID = 1L;

        private final Duration timeToLive;
        private transient ValueState<Boolean> seen;

        private Mark(Duration timeToLive) {
            this.timeToLive = timeToLive;
        }

        @Override
        public void open(OpenContext context) {
            ValueStateDescriptor<Boolean> descriptor =
                    new ValueStateDescriptor<>(STATE_NAME, Types.BOOLEAN);
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(timeToLive).build());
            seen = getRuntimeContext().getState(descriptor);
        }

        @Override
        public Long map(Long number) throws IOException {
            if (seen.value() != null) {
                return ~number;
            }
            seen.update(Boolean.TRUE);
            return number;
        }
    }
}
