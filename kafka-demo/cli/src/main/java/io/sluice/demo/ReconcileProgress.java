/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.job.reconcile.ReconcileJob;
import io.sluice.job.reconcile.ReconcileOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/** Reads the topics again and again until they are complete. */
final class ReconcileProgress {
    /** If no new report comes for this long, the exchange is taken for ended, well or not. */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<String> servers;
    private final List<ReconcileOptions> jobs;
    private final ReconcileJudge inputs;
    private final long windowMillis;
    private long reports;
    private long heard = System.nanoTime();
    private long read = System.nanoTime();

    ReconcileProgress(List<String> servers, List<ReconcileOptions> jobs, Duration window)
            throws IOException {
        this.servers = servers;
        this.jobs = jobs;
        windowMillis = window.toMillis();
        inputs = new ReconcileJudge(windowMillis);
        readInputs(inputs);
    }

    private void readInputs(ReconcileJudge judge) throws IOException {
        for (int replica = 0; replica < jobs.size(); replica++) {
            int of = replica;
            CommittedTopic.read(
                    servers.get(replica),
                    jobs.get(replica).inputTopic(),
                    record -> judge.input(of, record.value()));
        }
    }

    /** Whether both replicas have reported on all elements, or nothing more comes. */
    boolean isOver() {
        long now = System.nanoTime();
        if (now - read < PAUSE.toNanos()) {
            return false;
        }
        read = now;
        try {
            long seen = 0;
            boolean complete = true;
            for (int replica = 0; replica < jobs.size(); replica++) {
                ReportSum sum = reports(replica);
                seen += sum.reports();
                complete &= sum.elements() >= inputs.counts().unionElements();
            }
            if (seen > reports) {
                reports = seen;
                heard = now;
            }
            return complete || now - heard > SILENCE.toNanos();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record ReportSum(long reports, long elements) {}

    private ReportSum reports(int replica) throws IOException {
        long[] elements = new long[1];
        long count =
                CommittedTopic.read(
                        servers.get(replica),
                        jobs.get(replica).topic(ReconcileJob.REPORTS),
                        record ->
                                elements[0] +=
                                        JSON.readTree(record.value())
                                                .get("elementsAfter")
                                                .asLong());
        return new ReportSum(count, elements[0]);
    }

    /** Reads everything. The jobs have ended. */
    ReconcileJudge judge() throws IOException {
        ReconcileJudge judge = new ReconcileJudge(windowMillis);
        readInputs(judge);
        for (int replica = 0; replica < jobs.size(); replica++) {
            int of = replica;
            String server = servers.get(replica);
            ReconcileOptions job = jobs.get(replica);
            CommittedTopic.read(
                    server,
                    job.topic(ReconcileJob.ELEMENTS),
                    record -> judge.element(of, record.value()));
            CommittedTopic.read(
                    server,
                    job.topic(ReconcileJob.CORRECTIONS),
                    record -> judge.correction(of, record.value()));
            CommittedTopic.read(
                    server,
                    job.topic(ReconcileJob.REPORTS),
                    record -> judge.report(record.value()));
            CommittedTopic.read(server, job.topic(ReconcileJob.LATE), record -> judge.late());
        }
        return judge;
    }
}
