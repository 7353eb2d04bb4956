/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The rules of a deduplicated topic.
 *
 * <ul>
 *   <li>A record of the output is one of the input, byte for byte, with its time and partition, and
 *       comes once.
 *   <li>No two records of an id in the output are closer than the window.
 *   <li>An id that did not come for so long that it is forgotten for certain passes within a
 *       window, but for as many as the probability of a false positive allows: see {@link NewIds}.
 * </ul>
 *
 * Not thread-safe.
 */
public final class FirstsCheck {
    private final long windowMillis;
    private final long forgottenMillis;
    private final double probability;
    private final boolean keepsPartition;
    private final Map<Long, Copy> inputs = new HashMap<>();
    private final Map<String, List<Copy>> byId = new HashMap<>();
    private final CheckResult verdict;
    private long passed;

    /** A send that is on the input topic. */
    private static final class Copy {
        final long sequence;
        final long time;
        final int partition;
        final String key;
        final String value;
        int passed;

        Copy(Order order) {
            sequence = order.sequence();
            time = order.time();
            partition = order.partition();
            key = order.key();
            value = order.value();
        }
    }

    /**
     * With the window of the job.
     *
     * @param forgottenMillis after how long without a send an id is new for certain
     * @param probability of a false positive, the largest that any start of the job had
     * @param keepsPartition whether records keep key, time and number of their partition
     */
    public FirstsCheck(
            long windowMillis,
            long forgottenMillis,
            double probability,
            boolean keepsPartition,
            CheckResult verdict) {
        this.windowMillis = windowMillis;
        this.forgottenMillis = forgottenMillis;
        this.probability = probability;
        this.keepsPartition = keepsPartition;
        this.verdict = verdict;
    }

    /** Takes a record of the input topic. */
    public void input(ConsumerRecord<byte[], byte[]> record) {
        input(Order.of(record));
    }

    void input(Order order) {
        Copy copy = new Copy(order);
        if (inputs.put(order.sequence(), copy) != null) {
            throw new IllegalStateException("the broker has twice what was sent once: " + order);
        }
        byId.computeIfAbsent(order.id(), id -> new ArrayList<>(1)).add(copy);
    }

    /** Takes a record of the output topic, after all of the input. */
    public void output(ConsumerRecord<byte[], byte[]> record) {
        output(Order.of(record));
    }

    void output(Order order) {
        passed++;
        Copy copy = inputs.get(order.sequence());
        if (copy == null) {
            verdict.broken("a record of the output was never sent", order.toString());
            return;
        }
        if (!copy.value.equals(order.value())
                || (keepsPartition
                        && (copy.time != order.time()
                                || copy.partition != order.partition()
                                || !copy.key.equals(order.key())))) {
            verdict.broken(
                    "a record of the output differs from what was sent",
                    order + " but time " + copy.time + ", partition " + copy.partition);
        }
        if (++copy.passed == 2) {
            verdict.broken("one record is in the output twice", order.toString());
        }
    }

    /** Judges, when all was taken. */
    public void judge() {
        NewIds firsts = new NewIds();
        long count = 0;
        for (Map.Entry<String, List<Copy>> id : byId.entrySet()) {
            List<Copy> copies = id.getValue();
            copies.sort(Comparator.comparingLong(copy -> copy.time));
            requireDistance(id.getKey(), copies);
            for (int i = 0; i < copies.size(); i++) {
                boolean isNew =
                        i == 0 || copies.get(i).time - copies.get(i - 1).time > forgottenMillis;
                long time = copies.get(i).time;
                if (isNew) {
                    count++;
                    if (passes(copies, i)) {
                        firsts.passed(time);
                    } else {
                        firsts.missing(time, id.getKey() + " of " + time);
                    }
                }
            }
        }
        verdict.number("in", inputs.size());
        verdict.number("out", passed);
        verdict.number("firsts", count);
        firsts.judge(probability, "more new ids are missing than --fpp allows", verdict);
    }

    private void requireDistance(String id, List<Copy> copies) {
        Copy before = null;
        for (Copy copy : copies) {
            if (copy.passed > 0) {
                if (before != null && copy.time - before.time <= windowMillis) {
                    verdict.broken(
                            "a duplicate passed within the window",
                            id
                                    + ": send "
                                    + copy.sequence
                                    + " of "
                                    + copy.time
                                    + " in partition "
                                    + copy.partition
                                    + " after send "
                                    + before.sequence
                                    + " of "
                                    + before.time
                                    + " in partition "
                                    + before.partition);
                }
                before = copy;
            }
        }
    }

    private boolean passes(List<Copy> copies, int from) {
        long last = copies.get(from).time + windowMillis;
        for (int i = from; i < copies.size() && copies.get(i).time <= last; i++) {
            if (copies.get(i).passed > 0) {
                return true;
            }
        }
        return false;
    }
}
