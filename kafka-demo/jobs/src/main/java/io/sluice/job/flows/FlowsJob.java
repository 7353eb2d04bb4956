/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.FlowStateMachine;
import io.sluice.job.JobTopics;
import io.sluice.job.packet.PacketEnds;
import io.sluice.job.packet.Reduction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Follows the TCP flows in the packets of a Kafka topic; reports how each ended.
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
    public static final String FLOWS = FollowedFlows.UID;

    static final String ALERTS_UID = "alerts";

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
        FlowArguments how = options.flows;
        FollowedFlows followed =
                FollowedFlows.ofSegments(
                        ends.read(env, Reduction.toSegment(how.key()), options.deadLetterTopic),
                        how);
        ends.write(followed.flows(), FollowedFlows.UID, new FinishedFlowSchema(options.flowsTopic));
        ends.write(followed.alerts(), ALERTS_UID, new FlowAlertSchema(options.alertsTopic));
    }
}
