/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.flow.TcpFlags;
import io.sluice.flink.machine.MachineReport;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.Machines;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.job.format.MessageInput;
import io.sluice.job.packet.PacketEnds;
import io.sluice.job.packet.Reduction;
import io.sluice.job.packet.TcpSegment;
import io.sluice.message.KafkaMessage;
import io.sluice.message.MessageTypeInfoFactory;
import io.sluice.record.FlowKey;
import io.sluice.record.FlowKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a state machine for each key of Kafka topics, whose records are events of any kind, or
 * for each TCP connection of packet records.
 *
 * <p>The guarantee: that of {@link Machines}, and every report is visible exactly once to readers
 * of committed records, across failures, restarts from savepoints and rescaling. Records that
 * cannot be read never fail the job, unless it is told to; they go to the dead-letter topic.
 *
 * <p>The events of a machine must come in order, so they must be in one partition: producers that
 * give each record the machine's key see to that, and so does the replay of a capture.
 *
 * <p>Every operator has a uid, so that a savepoint survives changes of the job around it.
 */
public final class MachineJob {
    /** Uid of the operator that follows machines, and of the sink of its reports. */
    public static final String MACHINES = "machines";

    static final String ALERTS_UID = "alerts";
    static final String LATE_UID = "late";

    private static final Logger LOG = LoggerFactory.getLogger(MachineJob.class);

    private static final OutputTag<KafkaMessage> LATE =
            new OutputTag<>("late", MessageTypeInfoFactory.TYPE);

    private MachineJob() {}

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link MachineJobOptions}
     */
    public static void main(String[] arguments) throws Exception {
        MachineJobOptions options = MachineJobOptions.parse(arguments);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        options.prepare(JobTopics.continues(env)).forEach(LOG::warn);
        define(env, options);
        env.executeAsync("sluice-machine");
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there.
     */
    public static void define(StreamExecutionEnvironment env, MachineJobOptions options) {
        SingleOutputStreamOperator<MachineReport> reports =
                options.isPackets() ? ofPackets(env, options) : ofMessages(env, options);
        write(reports, options.emit, MACHINES, options.outputTopic, options);
        write(reports, options.alert, ALERTS_UID, options.alertsTopic, options);
    }

    private static SingleOutputStreamOperator<MachineReport> ofMessages(
            StreamExecutionEnvironment env, MachineJobOptions options) {
        MessageInput input = new MessageInput(options);
        Machines<KafkaMessage, String> machines =
                configured(
                        Machines.<KafkaMessage, String>by(message -> message.event().key())
                                .event(message -> message.event().event()),
                        options);
        if (options.lateTopic == null) {
            return machines.apply(input.read(env));
        }
        SingleOutputStreamOperator<MachineReport> reports =
                machines.onLate(OnLate.sideOutput(LATE)).apply(input.read(env));
        input.setAside(reports.getSideOutput(LATE), LATE_UID, options.lateTopic);
        return reports;
    }

    private static SingleOutputStreamOperator<MachineReport> ofPackets(
            StreamExecutionEnvironment env, MachineJobOptions options) {
        return configured(
                        Machines.<TcpSegment, String>by(TcpSegment::connection)
                                .event(segment -> TcpFlags.kindName(segment.flags())),
                        options)
                .apply(
                        new PacketEnds(options)
                                .read(
                                        env,
                                        Reduction.toSegment(
                                                new FlowKey(FlowKind.CONNECTION, false)),
                                        options.deadLetters())
                                .filter(TcpSegment::isTcp)
                                .uid("only-tcp")
                                .name("only-tcp"));
    }

    private static <T> Machines<T, String> configured(
            Machines<T, String> machines, MachineJobOptions options) {
        machines.keyType(Types.STRING)
                .uid(MACHINES)
                .machine(options.definition())
                .configure(options.operatorOptions())
                .timeDomain(options.isProcessingTime() ? TimeDomain.PROCESSING : TimeDomain.EVENT)
                .emit(
                        Stream.concat(options.emit.stream(), options.alert.stream())
                                .toArray(Kind[]::new));
        options.renamed.forEach(machines::renamed);
        return machines;
    }

    private static void write(
            DataStream<MachineReport> reports,
            List<Kind> kinds,
            String uid,
            String topic,
            MachineJobOptions options) {
        KafkaEnds.writeOnce(
                reports.filter(OfKinds.of(kinds)).uid("only-" + uid).name("only-" + uid),
                uid,
                options.reportSchema(topic),
                options,
                options.transactionalIdPrefix(),
                null);
    }

    /** Passes reports of some kinds. */
    private record OfKinds(ArrayList<String> names) implements FilterFunction<MachineReport> {
        static OfKinds of(List<Kind> kinds) {
            ArrayList<String> names = new ArrayList<>();
            kinds.forEach(kind -> names.add(kind.name()));
            return new OfKinds(names);
        }

        @Override
        public boolean filter(MachineReport report) {
            return names.contains(report.kind());
        }
    }
}
