/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.chaos.truth.PacketBytes;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The rules of counters. A send that is neither on the topic of duplicates nor on that of late
 * operations was counted.
 *
 * <ul>
 *   <li>No operation was counted twice, and no send is on these topics more often than it was sent.
 *   <li>What was sent soon after its time is not late.
 *   <li>An operation that was sent soon after its time was counted, but for as many as the
 *       probability of a false positive allows: see {@link NewIds}.
 *   <li>The last value of each counter is the number of its operations that were counted, and no
 *       value is less than one before it.
 * </ul>
 *
 * Not thread-safe.
 */
public final class CountersCheck {
    private static final Pattern REFUSED = Pattern.compile("\\{\"operation\":(-?\\d+),.*}");
    private static final Pattern VALUE = Pattern.compile("\\{\"value\":(-?\\d+),.*}");

    private final long windowMillis;
    private final double probability;
    private final CheckResult verdict;
    private final Map<Long, Operation> operations = new HashMap<>();
    private final Map<String, Long> values = new TreeMap<>();
    private long sends;
    private long duplicates;
    private long late;

    /** What is known of an operation. */
    private static final class Operation {
        final String counter;
        final long time;
        int sends;
        int duplicates;
        int late;

        /** Sends soon after its time: none of them is late. */
        int soon;

        Operation(String counter, long time) {
            this.counter = counter;
            this.time = time;
        }
    }

    /**
     * With the window of the job.
     *
     * @param probability of a false positive, the largest that any start of the job had
     */
    public CountersCheck(long windowMillis, double probability, CheckResult verdict) {
        this.windowMillis = windowMillis;
        this.probability = probability;
        this.verdict = verdict;
    }

    /** Takes a record of the input topic. */
    public void input(ConsumerRecord<byte[], byte[]> record) {
        input(PacketBytes.of(record.value()), record.timestamp());
    }

    void input(PacketBytes packet, long sent) {
        sends++;
        Operation operation =
                operations.computeIfAbsent(
                        packet.operation(),
                        id -> new Operation(PacketBytes.text(packet.source()), packet.millis()));
        operation.sends++;
        operation.soon += sent - operation.time < windowMillis / 2 ? 1 : 0;
    }

    /** Takes a record of the topic of duplicates, after all of the input. */
    public void duplicate(ConsumerRecord<byte[], byte[]> record) {
        duplicate(text(record.value()));
    }

    void duplicate(String text) {
        duplicates++;
        Operation operation = refused(text);
        if (operation != null) {
            operation.duplicates++;
        }
    }

    /** Takes a record of the topic of late operations, after all of the input. */
    public void late(ConsumerRecord<byte[], byte[]> record) {
        late(text(record.value()));
    }

    void late(String text) {
        late++;
        Operation operation = refused(text);
        if (operation != null) {
            operation.late++;
        }
    }

    private Operation refused(String text) {
        Matcher matcher = REFUSED.matcher(text);
        Operation operation =
                matcher.matches() ? operations.get(Long.parseLong(matcher.group(1))) : null;
        if (operation == null) {
            verdict.broken("an operation was refused that was never sent", text);
        }
        return operation;
    }

    /** Takes a record of the topic of counters. */
    public void value(ConsumerRecord<byte[], byte[]> record) {
        value(text(record.key()), text(record.value()));
    }

    void value(String counter, String text) {
        Matcher matcher = VALUE.matcher(text);
        if (!matcher.matches()) {
            verdict.broken("a value is not a number", counter + ": " + text);
            return;
        }
        long value = Long.parseLong(matcher.group(1));
        Long before = values.put(counter, value);
        if (before != null && before > value) {
            verdict.broken("a counter went back", counter + " from " + before + " to " + value);
        }
    }

    /** Judges, when all was taken. */
    public void judge() {
        Map<String, Long> counted = new TreeMap<>();
        NewIds firsts = new NewIds();
        operations.forEach(
                (id, operation) -> {
                    int times = operation.sends - operation.duplicates - operation.late;
                    counted.merge(operation.counter, (long) times, Long::sum);
                    if (times > 1) {
                        verdict.broken(
                                "an operation was counted more than once",
                                id + ", sent " + operation.sends + " times, counted " + times);
                    } else if (times < 0) {
                        verdict.broken(
                                "an operation was refused more often than it was sent",
                                id + ", sent " + operation.sends + " times");
                    } else if (operation.late > operation.sends - operation.soon) {
                        verdict.broken(
                                "an operation was late that was sent soon after its time",
                                id + ", late " + operation.late + " times");
                    } else if (times == 1) {
                        firsts.passed(operation.time);
                    } else if (operation.soon > 0) {
                        firsts.missing(operation.time, Long.toString(id));
                    }
                });
        verdict.number("in", sends);
        verdict.number("operations", operations.size());
        verdict.number("duplicates", duplicates);
        verdict.number("late", late);
        firsts.judge(probability, "more operations were not counted than --fpp allows", verdict);
        compare(counted);
    }

    private void compare(Map<String, Long> counted) {
        counted.forEach(
                (counter, times) -> {
                    long value = values.getOrDefault(counter, 0L);
                    if (value != times) {
                        verdict.broken(
                                "a counter is wrong", counter + " is " + value + ", not " + times);
                    }
                });
        values.forEach(
                (counter, value) -> {
                    if (!counted.containsKey(counter)) {
                        verdict.broken("a counter has no operation", counter + " is " + value);
                    }
                });
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "" : new String(bytes, UTF_8);
    }
}
