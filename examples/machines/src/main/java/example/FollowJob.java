/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineReport;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.Machines;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Follows a machine for each key, as a file says. */
public final class FollowJob {

    private FollowJob() {}

    /** Reads the machine in a file of this project. */
    static MachineDefinition machine(String file) throws IOException {
        try (InputStream in = FollowJob.class.getResourceAsStream("/" + file)) {
            if (in == null) {
                throw new FileNotFoundException(file);
            }
            return MachineDefinition.parse(new String(in.readAllBytes(), UTF_8), file);
        }
    }

    /**
     * The job without its source and its sink. A machine times out after between its time and a
     * sixteenth more.
     *
     * @param events with timestamps and watermarks, those of a key in order
     */
    static DataStream<MachineReport> follow(MachineDefinition machine, DataStream<Event> events) {
        return Machines.by(Event::key)
                .uid(machine.name())
                .machine(machine)
                .event(Event::event)
                .emit(
                        Kind.FIRST,
                        Kind.OUTPUT,
                        Kind.FINISHED,
                        Kind.ILLEGAL,
                        Kind.TIMED_OUT,
                        Kind.OPEN)
                .slices(16)
                .apply(events);
    }

    /** Events of a key stay in order: another parallelism would distribute them first. */
    static DataStream<Event> withTimestamps(DataStream<Event> events) {
        return events.assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Event>forGenerator(context -> new AfterEachEvent())
                                .withTimestampAssigner((event, before) -> event.timestamp()))
                .setParallelism(events.getParallelism());
    }

    /** The events of a file are in order, and over before a periodic watermark would come. */
    private static final class AfterEachEvent implements WatermarkGenerator<Event> {
        @Override
        public void onEvent(Event event, long timestamp, WatermarkOutput output) {
            output.emitWatermark(new Watermark(timestamp - 1));
        }

        @Override
        public void onPeriodicEmit(WatermarkOutput output) {
            // Each event has done so.
        }
    }

    /** Follows the DNS queries of a capture, and prints what becomes of them. */
    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            throw new IllegalArgumentException("give one argument: a capture in the format pcap");
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Event> events = env.fromData(DnsCapture.events(Path.of(args[0])));
        follow(machine("dns.yaml"), withTimestamps(events)).print();
        env.execute("DNS queries");
    }
}
