/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.demo.ReconcileReport.Counters;
import io.sluice.demo.ReconcileReport.Exchange;
import io.sluice.demo.ReconcileReport.Failures;
import io.sluice.demo.ReconcileReport.Input;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the counters of both replicas with what either got. Trusts only what is on the topics,
 * which are inputs, counters and reports, and what is in the savepoints. Not thread-safe.
 */
final class ReconcileJudge {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** An exchange, from the view of one replica. */
    private record Side(int replica, long window, int group) {}

    private final ReplicaCounts truth;
    private final List<Map<String, Long>> values = List.of(new HashMap<>(), new HashMap<>());
    private final Set<Side> exchanges = new HashSet<>();
    private final Set<Side> agreed = new HashSet<>();
    private final Set<Side> suspended = new HashSet<>();
    private boolean statesAgree;
    private long late;
    private long agreedElements;
    private long repaired;
    private long rounds;
    private long digestBytes;
    private long filterBytes;
    private long repairBytes;
    private long naiveBytes;

    /**
     * @param truth of the inputs, complete
     */
    ReconcileJudge(ReplicaCounts truth) {
        this.truth = truth;
    }

    /** Takes the next record of the topic of a replica's counters. */
    void counter(int replica, String name, byte[] value) throws IOException {
        values.get(replica).put(name, JSON.readTree(value).get("value").asLong());
    }

    /** Takes an operation that was late for the counters of a replica. */
    void late() {
        late++;
    }

    /** Takes a report about a window and key group. */
    void report(int replica, byte[] value) throws IOException {
        JsonNode json = JSON.readTree(value);
        Side side = new Side(replica, json.get("window").asLong(), json.get("group").asInt());
        exchanges.add(side);
        String outcome = json.get("outcome").asText();
        if (outcome.equals(Outcome.SUSPENDED.name())) {
            suspended.add(side);
            return;
        }
        if (outcome.equals(Outcome.AGREED.name()) && agreed.add(side)) {
            agreedElements += json.get("elementsAfter").asLong();
        }
        repaired +=
                json.get("repairedFirst").asLong()
                        + json.get("repairedSecond").asLong()
                        + json.get("repairedLater").asLong();
        rounds = Math.max(rounds, json.get("rounds").asLong());
        digestBytes += json.get("digestBytes").asLong();
        filterBytes += json.get("filterBytes").asLong();
        repairBytes += json.get("repairBytes").asLong();
        naiveBytes += json.get("naiveBytes").asLong();
    }

    /** Takes what a comparison of the savepoints says. */
    void states(boolean agree) {
        statesAgree = agree;
    }

    /** Returns the reports of exchanges so far. */
    long exchanges() {
        return exchanges.size();
    }

    /** Returns whether both replicas agreed on every element that either got. */
    boolean isComplete() {
        return agreedElements >= 2 * truth.elements();
    }

    ReconcileReport report(Failures failures) {
        long bytes = digestBytes + filterBytes + repairBytes;
        Exchange exchange =
                new Exchange(
                        exchanges.size(),
                        agreed.size(),
                        suspended.size(),
                        bytes,
                        naiveBytes,
                        bytes / (double) Math.max(1, naiveBytes),
                        digestBytes,
                        filterBytes,
                        repairBytes,
                        rounds,
                        repaired);
        Input input =
                new Input(
                        truth.records(),
                        truth.elements(),
                        truth.lackedBy(0),
                        truth.lackedBy(1),
                        truth.operations(),
                        truth.missedBy(0),
                        truth.missedBy(1),
                        late);
        Counters counters =
                new Counters(
                        truth.counters(),
                        truth.wrong(values.get(0)),
                        truth.wrong(values.get(1)),
                        statesAgree);
        return new ReconcileReport(
                input, counters, exchange, failures, verdict(counters, failures));
    }

    private String verdict(Counters counters, Failures failures) {
        if (counters.wrongAtFirst() + counters.wrongAtSecond() > 0) {
            return counters.wrongAtFirst()
                    + " and "
                    + counters.wrongAtSecond()
                    + " of "
                    + counters.counters()
                    + " counters are wrong on the first and the second replica";
        }
        if (agreed.size() < exchanges.size() || exchanges.isEmpty()) {
            return (exchanges.size() - agreed.size())
                    + " of "
                    + exchanges.size()
                    + " exchanges did not agree";
        }
        if (!isComplete()) {
            return "of "
                    + 2 * truth.elements()
                    + " elements, both replicas together, "
                    + agreedElements
                    + " were agreed on";
        }
        if (late > 0) {
            return late + " operations were not counted because they were late";
        }
        if (!counters.state()) {
            return "the savepoints of both replicas differ in totals or in what was seen";
        }
        if (failures.recovered() < failures.injected()) {
            return "a killed replica did not recover from a checkpoint";
        }
        return "ok";
    }
}
