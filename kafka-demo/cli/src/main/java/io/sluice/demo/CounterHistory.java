/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What a topic of counters contains: the last value of every counter, and how their sum and one of
 * them develop over capture time.
 *
 * <p>Counters that have changed are written about every emission interval, with the time of their
 * youngest operation; the operations of the interval lie before that. So each change is spread
 * evenly between the times of two rounds of emission. In a partition, a new round begins where a
 * counter appears again.
 */
final class CounterHistory {
    private static final JsonFactory JSON = new JsonFactory();

    private final Timeline time;
    private final String watched;
    private final Map<String, Value> values = new HashMap<>();
    private final Map<Integer, Round> rounds = new HashMap<>();
    private final Curve totalValue;
    private final Curve totalUndercount;
    private final Curve watchedValue;

    /** The last value of a counter. */
    record Value(long value, double expectedUndercount, int round) {
        static final Value NONE = new Value(0, 0, -1);
    }

    private static final class Round {
        int number;
        long beginMillis;
        long highMillis;
    }

    /**
     * @param time the range of capture time
     * @param watched the counter whose values over time are kept
     */
    CounterHistory(Timeline time, String watched) {
        this.time = time;
        this.watched = watched;
        totalValue = new Curve(time);
        totalUndercount = new Curve(time);
        watchedValue = new Curve(time);
    }

    /** Takes the next record of the topic. */
    void accept(ConsumerRecord<byte[], byte[]> record) throws IOException {
        String counter = new String(record.key(), StandardCharsets.US_ASCII);
        long value = 0;
        double undercount = 0;
        long timestamp = 0;
        try (JsonParser json = JSON.createParser(record.value())) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "value" -> value = json.getLongValue();
                    case "expectedUndercount" -> undercount = json.getDoubleValue();
                    case "timestamp" -> timestamp = json.getLongValue();
                    default -> throw new IOException("unknown field '" + field + "' of a counter");
                }
            }
        }
        Value before = values.getOrDefault(counter, Value.NONE);
        Round round =
                rounds.computeIfAbsent(
                        record.partition(),
                        p -> {
                            Round first = new Round();
                            first.beginMillis = time.firstMillis();
                            first.highMillis = time.firstMillis();
                            return first;
                        });
        if (before.round() == round.number) {
            round.number++;
            round.beginMillis = round.highMillis;
        }
        round.highMillis = Math.max(round.highMillis, timestamp);
        values.put(counter, new Value(value, undercount, round.number));

        long delta = value - before.value();
        // A single operation happened when it did.
        long from = delta == 1 ? timestamp : Math.min(round.beginMillis, timestamp);
        totalValue.spread(from, timestamp, (double) delta);
        totalUndercount.spread(from, timestamp, undercount - before.expectedUndercount());
        if (counter.equals(watched)) {
            watchedValue.spread(from, timestamp, (double) delta);
        }
    }

    /** Last values by counter. */
    Map<String, Value> values() {
        return values;
    }

    /** Sum of all counters at the end of each interval. */
    double[] total() {
        return totalValue.cumulative();
    }

    /** The watched counter at the end of each interval. */
    double[] watched() {
        return watchedValue.cumulative();
    }

    /** Sum of the counters' expected undercounts at the end of each interval. */
    double[] undercount() {
        return totalUndercount.cumulative();
    }
}
