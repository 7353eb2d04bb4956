/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.record.CounterKind;
import io.sluice.replay.Faults;
import io.sluice.replay.Truth;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the counter job committed, compared with what was sent, operation by operation. A send that
 * is neither on the topic of duplicates nor on that of late operations was counted. Deliberately
 * independent of the judge of {@code sluice demo}, so that neither hides a mistake of the other.
 *
 * @param missedDuplicates sends that were counted although their operation had already been counted
 * @param falsePositives operations that were sent and never counted
 * @param duplicates records on the topic of duplicates
 * @param overwritten operations that are on the side topics more often than they were sent: results
 *     of a rolled back run that became visible
 * @param wrongCounters committed value minus (truth minus false positives), where that is not 0
 */
record RunOutcome(
        long missedDuplicates,
        long falsePositives,
        long duplicates,
        long overwritten,
        Map<String, Long> wrongCounters) {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Reads the topics of a job with default topic names that counts by source. */
    static RunOutcome of(String servers, Truth truth) {
        Faults faults = truth.summary().faults();
        Map<String, Long> expected = new HashMap<>();
        truth.counters(CounterKind.SOURCE)
                .forEach(
                        (key, operations, bytes, sends, beyond) ->
                                expected.put(CounterKind.SOURCE.format(key), operations));

        Map<Long, Integer> refused = new HashMap<>();
        Map<Long, String> counterOf = new HashMap<>();
        long duplicates = refused(servers, "counters-duplicates", refused, counterOf);
        refused(servers, "counters-late", refused, counterOf);

        long missed = 0;
        long falsePositives = 0;
        long overwritten = 0;
        long first = truth.summary().firstOperationId();
        for (long id = first; id < first + truth.summary().operations(); id++) {
            int sends = faults.sends(id);
            int counted = sends - refused.getOrDefault(id, 0);
            if (counted > 1) {
                missed += counted - 1;
            } else if (counted == 0 && sends > 0) {
                falsePositives++;
                expected.merge(counterOf.get(id), -1L, Long::sum);
            } else if (counted < 0) {
                overwritten++;
            }
        }
        return new RunOutcome(
                missed, falsePositives, duplicates, overwritten, wrong(servers, expected));
    }

    private static long refused(
            String servers, String topic, Map<Long, Integer> times, Map<Long, String> counterOf) {
        long[] records = {0};
        CommittedTopic.read(
                servers,
                topic,
                (counter, value) -> {
                    long id = json(value).path("operation").longValue();
                    times.merge(id, 1, Integer::sum);
                    counterOf.put(id, counter);
                    records[0]++;
                });
        return records[0];
    }

    private static Map<String, Long> wrong(String servers, Map<String, Long> expected) {
        Map<String, Long> committed = new HashMap<>();
        CommittedTopic.read(
                servers,
                "counters",
                (counter, value) -> committed.put(counter, json(value).path("value").longValue()));
        Map<String, Long> wrong = new TreeMap<>();
        expected.forEach(
                (counter, value) -> {
                    long difference = committed.getOrDefault(counter, 0L) - value;
                    if (difference != 0) {
                        wrong.put(counter, difference);
                    }
                });
        committed.keySet().stream()
                .filter(counter -> !expected.containsKey(counter))
                .forEach(counter -> wrong.put(counter, committed.get(counter)));
        return wrong;
    }

    private static JsonNode json(String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }
}
