/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.Script;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;

/** A job of Sluice with its input and the rules of its output. */
public interface ChaosJob {
    /** As {@code --jobs} writes it. */
    String name();

    /** Partitions of each input topic. */
    int PARTITIONS = 4;

    /** The topics that the generator fills. */
    List<String> inputTopics();

    /** The topics that the job does not make itself. */
    default List<String> outputTopics() {
        return List.of();
    }

    /** Its jobs on the cluster: one, or two replicas. */
    List<Part> parts();

    /** What is sent. */
    Script script(SplittableRandom random, int perSecond);

    /**
     * Whether some of what is sent may have times that are far ahead, and the job reads them: what
     * {@code clock-jump} is about.
     */
    default boolean readsTimesThatJump() {
        return false;
    }

    /**
     * Whether results still come when all of the input was read, so that the check has to be
     * repeated until it is passed, or a deadline is.
     */
    default boolean endsLater() {
        return false;
    }

    /** Reads the topics, and judges; the input topics are complete. */
    void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException;

    /**
     * One job on the cluster.
     *
     * @param group whose committed offsets say how far the input was read
     * @param inputs topics that have to be read to their end
     * @param hasOnlyFiltersInFiles whether all that is large in its state has a checksum of Sluice;
     *     Flink's own states have none
     */
    record Part(
            String name,
            String group,
            List<String> inputs,
            boolean hasOnlyFiltersInFiles,
            Program program) {}
}
