/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.Backends;
import io.sluice.flink.OnLate;
import io.sluice.flink.flow.Traffic.Segment;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.WhenFull;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/** Subtasks of the operator, with options to be set before they start. */
final class FlowFixture {

    static final OutputTag<FlowAlert> ALERTS = new OutputTag<>("alerts", FlowTypes.FLOW_ALERT);

    /** The even ends of flows talk to the service at port 80. */
    record View() implements TcpView<Segment> {

        @Override
        public String scheme() {
            return "test";
        }

        @Override
        public boolean isSegment(Segment segment) {
            return true;
        }

        @Override
        public long flow(Segment segment) {
            return segment.flow();
        }

        @Override
        public boolean fromLower(Segment segment) {
            return segment.fromLower();
        }

        @Override
        public int flags(Segment segment) {
            return segment.flags();
        }

        @Override
        public Endpoints endpoints(Segment segment) {
            Endpoints fromLower =
                    new Endpoints(
                            new Address(0x20010db8L << 32, segment.flow()),
                            50_000,
                            Address.ofIpv4(0x0a000001),
                            80,
                            10,
                            20);
            return segment.fromLower() ? fromLower : fromLower.reversed();
        }

        /** Differ by side and flags. */
        @Override
        public int bytes(Segment segment) {
            return 40 + 10 * segment.flags() + (segment.fromLower() ? 1 : 2);
        }
    }

    final int keyGroups;
    final Subtasks<Long, Segment, FinishedFlow> stream;
    StoreKind store = StoreKind.EXACT;
    FlowTimeouts timeouts = FlowTimeouts.DEFAULT;
    long expected = 100_000;
    double bits = 96;
    MemorySize memory = MemorySize.ofMebiBytes(256);
    WhenFull whenFull = WhenFull.IGNORE;
    OnLate<Segment> onLate = OnLate.forward();
    Duration maxFuture;
    Double errorProbability;
    boolean totals;

    FlowFixture(int maxParallelism) {
        keyGroups = maxParallelism;
        stream = new Subtasks<>(Segment::flow, Types.LONG, maxParallelism, Backends.HASHMAP);
    }

    Supplier<OneInputStreamOperator<Segment, FinishedFlow>> operator() {
        FlowSettings settings = settings();
        return () -> new FlowOperator<>(new View(), settings, onLate, ALERTS);
    }

    private FlowSettings settings() {
        Configuration options = options(store, timeouts);
        options.set(FlowOptions.EXPECTING, expected);
        options.set(FlowOptions.BITS_PER_FLOW, bits);
        options.set(FlowOptions.MEMORY, memory);
        options.set(FlowOptions.WHEN_FULL, whenFull);
        options.set(FlowOptions.TOTALS, totals);
        if (errorProbability != null) {
            options.set(FlowOptions.ERROR_PROBABILITY, errorProbability);
        }
        if (maxFuture != null) {
            options.set(FlowOptions.MAX_FUTURE, maxFuture);
        }
        return FlowSettings.of(options);
    }

    static Configuration options(StoreKind store, FlowTimeouts timeouts) {
        Configuration options = new Configuration();
        if (store != null) {
            options.set(FlowOptions.STORE, store);
        }
        options.set(FlowOptions.OPENING_TIMEOUT, timeouts.opening());
        options.set(FlowOptions.OPEN_TIMEOUT, timeouts.open());
        options.set(FlowOptions.CLOSED_TIMEOUT, timeouts.closed());
        options.set(FlowOptions.SLICES, timeouts.slices());
        return options;
    }

    FlowFixture start(int parallelism) throws Exception {
        stream.start(parallelism, operator());
        return this;
    }

    List<FinishedFlow> process(Segment segment) throws Exception {
        return stream.process(segment, segment.millis());
    }

    /** Everything at its own time, each behind a watermark that is 1 ms earlier. */
    List<FinishedFlow> run(List<Segment> segments) throws Exception {
        return run(segments, 1, 1);
    }

    /** Everything at its own time, with periodic watermarks {@code lagMillis} behind. */
    List<FinishedFlow> run(List<Segment> segments, long everyMillis, long lagMillis)
            throws Exception {
        List<FinishedFlow> finished = new ArrayList<>();
        long next = Long.MIN_VALUE;
        for (Segment each : segments) {
            if (each.millis() >= next) {
                finished.addAll(stream.advance(each.millis() - lagMillis));
                next = each.millis() + everyMillis;
            }
            finished.addAll(process(each));
        }
        return finished;
    }

    /** Records of the main output that came after a watermark that had passed them. */
    static long behindWatermark(Iterable<Object> output) {
        long watermark = Long.MIN_VALUE;
        long behind = 0;
        for (Object each : output) {
            if (each instanceof Watermark mark) {
                watermark = mark.getTimestamp();
            } else if (each instanceof StreamRecord<?> record
                    && record.getTimestamp() <= watermark) {
                behind++;
            }
        }
        return behind;
    }

    static Segment segment(long flow, boolean fromLower, int flags, long millis) {
        return new Segment(flow, fromLower, flags, millis);
    }

    static Segment syn(long flow, long millis) {
        return segment(flow, true, TcpFlags.SYN, millis);
    }

    void close() throws Exception {
        stream.close();
    }
}
