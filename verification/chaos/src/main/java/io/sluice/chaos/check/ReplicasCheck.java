/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.chaos.truth.PacketBytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The rules of two replicas. Of each window that is over on both sides:
 *
 * <ul>
 *   <li>Every operation has as many copies on either side, in the end, as on the side that saw more
 *       of them in time; it is told once.
 *   <li>The corrections of a side add up to what it lacked.
 *   <li>No exchange ended without agreement, each is reported once, and by both sides.
 *   <li>What was sent soon after its time is not late.
 * </ul>
 *
 * Not thread-safe.
 */
public final class ReplicasCheck {
    /** Sides are 0 and 1. */
    private static final int SIDES = 2;

    private static final Pattern LATE = Pattern.compile("\\{\"operation\":(-?\\d+),.*}");
    private static final Pattern ELEMENT =
            Pattern.compile("\\{\"window\":(-?\\d+),\"operation\":(-?\\d+),\"copies\":(\\d+)}");
    private static final Pattern CORRECTION =
            Pattern.compile(
                    "\\{\"window\":(-?\\d+),\"operation\":(-?\\d+),"
                            + "\"before\":(\\d+),\"after\":(\\d+)}");
    private static final Pattern REPORT =
            Pattern.compile("\\{\"window\":(-?\\d+),\"group\":(\\d+),\"outcome\":\"(\\w+)\".*");

    private final long windowMillis;
    private final long outOfOrderMillis;
    private final CheckResult verdict;
    private final Map<Long, Operation> operations = new HashMap<>();
    private final List<Map<Integer, Long>> lastTimes = List.of(new HashMap<>(), new HashMap<>());

    /** By window, the groups that a side reported. */
    private final List<Map<Long, Set<Integer>>> reported =
            List.of(new TreeMap<>(), new TreeMap<>());

    private final long[] reports = new long[SIDES];
    private final long[] records = new long[SIDES];
    private long late;

    /** What is known of an operation, by side. */
    private static final class Operation {
        final long time;
        final int[] seen = new int[SIDES];

        /** Copies that were sent soon after its time: none of them is late. */
        final int[] soon = new int[SIDES];

        final int[] corrected = new int[SIDES];
        final int[] told = new int[SIDES];
        final int[] copies = new int[SIDES];

        Operation(long time) {
            this.time = time;
        }
    }

    /**
     * With the jobs' options.
     *
     * @param outOfOrderMillis by which event time is behind the greatest time of a partition
     */
    public ReplicasCheck(long windowMillis, long outOfOrderMillis, CheckResult verdict) {
        this.windowMillis = windowMillis;
        this.outOfOrderMillis = outOfOrderMillis;
        this.verdict = verdict;
    }

    /** Takes a record of the input topic of a side. */
    public void input(int side, ConsumerRecord<byte[], byte[]> record) {
        input(side, record.partition(), PacketBytes.of(record.value()), record.timestamp());
    }

    void input(int side, int partition, PacketBytes packet, long sent) {
        records[side]++;
        lastTimes.get(side).merge(partition, packet.millis(), Math::max);
        Operation operation =
                operations.computeIfAbsent(
                        packet.operation(), id -> new Operation(packet.millis()));
        operation.seen[side]++;
        operation.soon[side] += sent - operation.time <= outOfOrderMillis ? 1 : 0;
    }

    /** Takes a record of a side's topic of late operations, after all of the input. */
    public void late(int side, ConsumerRecord<byte[], byte[]> record) {
        late(side, text(record));
    }

    void late(int side, String text) {
        Operation operation = find(LATE, 1, text);
        if (operation != null) {
            late++;
            operation.seen[side]--;
            if (operation.seen[side] < operation.soon[side]) {
                verdict.broken("an operation was late that was sent soon after its time", text);
            }
        }
    }

    /** Takes a record of a side's topic of elements. */
    public void element(int side, ConsumerRecord<byte[], byte[]> record) {
        element(side, text(record));
    }

    void element(int side, String text) {
        Operation operation = find(ELEMENT, 2, text);
        if (operation != null) {
            Matcher matcher = ELEMENT.matcher(text);
            checkWindow(matcher, text, operation);
            operation.told[side]++;
            operation.copies[side] = Integer.parseInt(matcher.group(3));
        }
    }

    /** Takes a record of a side's topic of corrections. */
    public void correction(int side, ConsumerRecord<byte[], byte[]> record) {
        correction(side, text(record));
    }

    void correction(int side, String text) {
        Operation operation = find(CORRECTION, 2, text);
        if (operation != null) {
            Matcher matcher = CORRECTION.matcher(text);
            checkWindow(matcher, text, operation);
            operation.corrected[side] +=
                    Integer.parseInt(matcher.group(4)) - Integer.parseInt(matcher.group(3));
        }
    }

    /** Takes a record of a side's topic of reports. */
    public void report(int side, ConsumerRecord<byte[], byte[]> record) {
        report(side, text(record));
    }

    void report(int side, String text) {
        reports[side]++;
        Matcher matcher = REPORT.matcher(text);
        if (!matcher.matches() || !matcher.group(3).equals("AGREED")) {
            verdict.broken("an exchange ended without agreement", text);
        } else if (!reported.get(side)
                .computeIfAbsent(Long.parseLong(matcher.group(1)), window -> new TreeSet<>())
                .add(Integer.parseInt(matcher.group(2)))) {
            verdict.broken("an exchange is reported twice", text);
        }
    }

    private void checkWindow(Matcher matcher, String text, Operation operation) {
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) != window(operation)) {
            verdict.broken("a window is wrong", text + ", not " + window(operation));
        }
    }

    private long window(Operation operation) {
        return Math.floorDiv(operation.time, windowMillis) * windowMillis;
    }

    private Operation find(Pattern pattern, int group, String text) {
        Matcher matcher = pattern.matcher(text);
        Operation operation =
                matcher.matches() ? operations.get(Long.parseLong(matcher.group(group))) : null;
        if (operation == null) {
            verdict.broken("an operation was told that was never sent", text);
        }
        return operation;
    }

    /** Judges, when all was taken. */
    public void judge() {
        long eventTime =
                lastTimes.stream()
                                .flatMap(times -> times.values().stream())
                                .mapToLong(Long::longValue)
                                .min()
                                .orElse(0)
                        - outOfOrderMillis;
        long compared = 0;
        Set<Long> windows = new TreeSet<>();
        for (Map.Entry<Long, Operation> entry : operations.entrySet()) {
            Operation operation = entry.getValue();
            int most = Math.max(operation.seen[0], operation.seen[1]);
            if (window(operation) + windowMillis > eventTime || most == 0) {
                continue;
            }
            compared++;
            windows.add(window(operation));
            for (int side = 0; side < SIDES; side++) {
                judge(entry.getKey(), operation, side, most);
            }
        }
        windows.forEach(this::judgeReports);
        if (compared == 0) {
            verdict.broken("no window is over, so nothing was compared", records[0] + " records");
        }
        verdict.number("in", records[0] + records[1]);
        verdict.number("operations", operations.size());
        verdict.number("compared", compared);
        verdict.number("late", late);
        verdict.number("reports", reports[0] + reports[1]);
    }

    private void judgeReports(long window) {
        Set<Integer> here = reported.get(0).getOrDefault(window, Set.of());
        Set<Integer> there = reported.get(1).getOrDefault(window, Set.of());
        if (here.isEmpty() || !here.equals(there)) {
            verdict.broken(
                    "the sides do not report the same exchanges",
                    "window " + window + ": groups " + here + " and " + there);
        }
    }

    private void judge(long id, Operation operation, int side, int most) {
        String what = "operation " + id + " of window " + window(operation) + " on side " + side;
        if (operation.told[side] != 1) {
            verdict.broken(
                    "an operation is not told once", what + ": " + operation.told[side] + " times");
        } else if (operation.copies[side] != most) {
            verdict.broken(
                    "a side has not the union",
                    what + ": " + operation.copies[side] + " copies, not " + most);
        }
        if (operation.seen[side] + operation.corrected[side] != most) {
            verdict.broken(
                    "corrections do not add up to what a side lacked",
                    what
                            + ": "
                            + operation.seen[side]
                            + " copies and "
                            + operation.corrected[side]
                            + ", not "
                            + most);
        }
    }

    private static String text(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.value(), UTF_8);
    }
}
