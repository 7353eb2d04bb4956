/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.job.counters.CountersOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Reads the topics of both replicas, again and again until they are complete. */
final class ReconcileProgress {
    /** If no new report comes for this long, the exchange is taken for ended, well or not. */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofMillis(500);

    private final List<String> servers;
    private final List<CountersOptions> jobs;
    private final ReplicaCounts truth;
    private long reports;
    private long heard = System.nanoTime();
    private long read = System.nanoTime();

    ReconcileProgress(List<String> servers, List<CountersOptions> jobs, ReplicaCounts truth)
            throws IOException {
        this.servers = servers;
        this.jobs = jobs;
        this.truth = truth;
        for (int replica = 0; replica < jobs.size(); replica++) {
            int of = replica;
            for (String topic : jobs.get(replica).inputTopics()) {
                CommittedTopic.read(
                        servers.get(replica), topic, record -> truth.input(of, record.value()));
            }
        }
    }

    /** Returns whether both replicas have agreed on all elements, or nothing more comes. */
    boolean isOver() {
        long now = System.nanoTime();
        if (now - read < PAUSE.toNanos()) {
            return false;
        }
        read = now;
        try {
            ReconcileJudge judge = new ReconcileJudge(truth);
            readReports(judge);
            if (judge.exchanges() > reports) {
                reports = judge.exchanges();
                heard = now;
            }
            return judge.isComplete() || now - heard > SILENCE.toNanos();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readReports(ReconcileJudge judge) throws IOException {
        for (int replica = 0; replica < jobs.size(); replica++) {
            int of = replica;
            CommittedTopic.read(
                    servers.get(replica),
                    jobs.get(replica).reportsTopic(),
                    record -> judge.report(of, record.value()));
        }
    }

    /** Reads everything. The jobs have ended. */
    ReconcileJudge judge() throws IOException {
        ReconcileJudge judge = new ReconcileJudge(truth);
        readReports(judge);
        for (int replica = 0; replica < jobs.size(); replica++) {
            int of = replica;
            CountersOptions job = jobs.get(replica);
            CommittedTopic.read(
                    servers.get(replica),
                    job.outputTopic(),
                    record ->
                            judge.counter(
                                    of,
                                    new String(record.key(), StandardCharsets.US_ASCII),
                                    record.value()));
            CommittedTopic.read(servers.get(replica), job.lateTopic, record -> judge.late());
        }
        return judge;
    }
}
