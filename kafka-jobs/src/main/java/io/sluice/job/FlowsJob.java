/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.flow.Attempt;
import io.sluice.flink.flow.Endpoints;
import io.sluice.flink.flow.FinishedFlow;
import io.sluice.flink.flow.FlowAlert;
import io.sluice.flink.flow.FlowStateMachine;
import io.sluice.flink.flow.FlowTypes;
import io.sluice.flink.flow.TcpView;
import io.sluice.record.FlowKind;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;

/**
 * Follows the TCP flows in the packets of a Kafka topic; reports how each ended, and which hosts
 * are flooded or scan.
 *
 * <p>The guarantee: that of {@link FlowStateMachine}, and every record is visible exactly once to
 * readers of committed records, across failures, restarts from savepoints and rescaling. Records
 * that cannot be read never fail the job; they go to the dead-letter topic.
 *
 * <p>The packets of a flow must come in order: in one partition, as {@code sluice replay} sends
 * them. A packet that comes twice changes nothing, unless it is a SYN repeated after its flow has
 * ended: that begins another flow.
 *
 * <p>Every operator has a uid, so that a savepoint survives changes of the job around it.
 */
public final class FlowsJob {
    /** Name and uid of the operator, as metrics and savepoints know it. */
    public static final String FLOWS = "flows";

    /** Prefix of the uids of the operators that look for attacks. */
    static final String ATTACKS = "attacks";

    static final String ALERTS_UID = "alerts";

    private static final OutputTag<Attempt> ATTEMPTS =
            new OutputTag<>("attempts", FlowTypes.ATTEMPT);
    private static final OutputTag<FlowAlert> ALERTS =
            new OutputTag<>("alerts", FlowTypes.FLOW_ALERT);

    private final FlowsOptions options;
    private final PacketEnds ends;

    private FlowsJob(FlowsOptions options) {
        this.options = options;
        this.ends = new PacketEnds(options);
    }

    /**
     * Runs the job on the cluster that Flink's command line names.
     *
     * @param arguments see {@link FlowsOptions}
     */
    public static void main(String[] arguments) throws Exception {
        FlowsOptions options = FlowsOptions.parse(arguments);
        JobTopics.prepare(options);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        define(env, options);
        env.executeAsync("sluice-flows");
    }

    /**
     * Adds the job to {@code env}, and sets object reuse, checkpoints and, if given, the
     * parallelism there.
     */
    public static void define(StreamExecutionEnvironment env, FlowsOptions options) {
        new FlowsJob(options).define(env);
    }

    private void define(StreamExecutionEnvironment env) {
        FlowStateMachine<TcpSegment> machine =
                FlowStateMachine.of(new View(options.flow))
                        .uid(FLOWS)
                        .store(options.store)
                        .timeouts(options.timeouts())
                        .maxFuture(options.maxFuture())
                        .expecting(options.expecting)
                        .bitsPerFlow(options.bitsPerFlow)
                        .memory(options.memory)
                        .whenFull(options.whenFull)
                        .alerts(ALERTS);
        if (!options.withoutAttacks) {
            machine.attempts(ATTEMPTS);
        }
        SingleOutputStreamOperator<FinishedFlow> flows =
                machine.apply(
                        ends.read(env, Reduction.toSegment(options.flow), options.deadLetterTopic));
        ends.write(flows, FLOWS, new FinishedFlowSchema(options.flowsTopic));
        ends.write(
                flows.getSideOutput(ALERTS), ALERTS_UID, new FlowAlertSchema(options.alertsTopic));
        if (!options.withoutAttacks) {
            ends.write(
                    options.attacks().uid(ATTACKS).apply(flows.getSideOutput(ATTEMPTS)),
                    ATTACKS,
                    new AttackAlertSchema(options.alertsTopic));
        }
    }

    private record View(FlowKind kind) implements TcpView<TcpSegment> {

        @Override
        public String scheme() {
            return kind.code();
        }

        @Override
        public boolean isSegment(TcpSegment segment) {
            return segment.isTcp();
        }

        @Override
        public long flow(TcpSegment segment) {
            return segment.flow();
        }

        @Override
        public boolean fromLower(TcpSegment segment) {
            return segment.fromLower();
        }

        @Override
        public int flags(TcpSegment segment) {
            return segment.flags();
        }

        @Override
        public Endpoints endpoints(TcpSegment segment) {
            return segment.endpoints();
        }
    }
}
