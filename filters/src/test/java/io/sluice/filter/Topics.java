/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * An input with all that confuses the clock of a deduplication: partitions that are read minutes or
 * days apart, records out of order, gaps, a few times that are years ahead, a watermark that comes
 * only now and then; and with ids that come again inside their window, exactly at its end, and
 * behind it, in the same partition or in another.
 */
public final class Topics {

    /** One time in so many is years ahead. */
    private static final int ONE_WILD_IN = 1_000;

    private static final long NOT_YET = Long.MIN_VALUE;

    /** A record, and when its partition has it by a clock that is never wild. */
    private record Placed(Occurrence record, long at) {

        boolean isWild() {
            return record.time() - at > YEAR / 2;
        }
    }

    private static final long YEAR = TimeUnit.DAYS.toMillis(365);

    private final long outOfOrderness;
    private final List<List<Occurrence>> partitions;
    private final List<Occurrence> arrivals;
    private final long[] watermarks;

    private Topics(
            long outOfOrderness,
            List<List<Occurrence>> partitions,
            List<Occurrence> arrivals,
            long[] watermarks) {
        this.outOfOrderness = outOfOrderness;
        this.partitions = partitions;
        this.arrivals = arrivals;
        this.watermarks = watermarks;
    }

    /**
     * A random one.
     *
     * @param window of the deduplication, in milliseconds; less than half a year
     * @param start about the least time of a record
     * @param records that it has at least; few more
     */
    public static Topics random(SplittableRandom random, long window, long start, int records) {
        return new Generator(random, window).generate(start, records);
    }

    /** The records of each partition in their order. */
    public List<List<Occurrence>> partitions() {
        return partitions;
    }

    /** All records in an order in which a reader of all partitions may see them. */
    public List<Occurrence> arrivals() {
        return arrivals;
    }

    /**
     * The watermark that an operator has seen after that many arrivals, {@link Long#MIN_VALUE} if
     * none; it comes only now and then. Behind the least that the partitions had so far, wild times
     * left out, by {@link #outOfOrderness}; a partition without further records does not hold it
     * back. No record is behind it.
     */
    public long watermarkAfter(int arrivals) {
        return watermarks[arrivals];
    }

    /** By how much a record may be older than one before it in its partition, in milliseconds. */
    public long outOfOrderness() {
        return outOfOrderness;
    }

    private static final class Generator {
        private final SplittableRandom random;
        private final long window;
        private final long outOfOrderness;
        private final List<List<Placed>> partitions = new ArrayList<>();

        Generator(SplittableRandom random, long window) {
            this.random = random;
            this.window = window;
            this.outOfOrderness = pick(0, 1, window / 20, window / 2, 2 * window);
            for (int left = 1 + random.nextInt(4); left > 0; left--) {
                partitions.add(new ArrayList<>());
            }
        }

        Topics generate(long start, int records) {
            long[] stretches = stretches(start);
            long id = 0;
            for (int number = 0; number < records; id++) {
                long stretch = stretches[random.nextInt(stretches.length)];
                number = life(id, stretch + random.nextLong(window), number);
            }
            partitions.forEach(
                    partition ->
                            partition.sort(
                                    Comparator.comparingLong(Placed::at)
                                            .thenComparingInt(placed -> placed.record().number())));
            List<Placed> arrivals = random.nextBoolean() ? lagging() : inBursts();
            return new Topics(
                    outOfOrderness,
                    partitions.stream().map(Generator::records).toList(),
                    records(arrivals),
                    watermarks(arrivals));
        }

        /** A window each, with gaps between some. */
        private long[] stretches(long start) {
            long[] stretches = new long[4 + random.nextInt(12)];
            for (int i = 0; i < stretches.length; i++) {
                stretches[i] = start;
                start += window + pick(0, 0, 0, window / 8, window, 3 * window);
            }
            return stretches;
        }

        /** All records of an id. */
        private int life(long id, long time, int number) {
            int home = random.nextInt(partitions.size());
            for (int left = 1 + random.nextInt(6); left > 0; left--) {
                int partition = random.nextInt(4) == 0 ? random.nextInt(partitions.size()) : home;
                place(number++, partition, id, time);
                time += again();
            }
            return number;
        }

        private long again() {
            return switch (random.nextInt(8)) {
                case 0 -> 0;
                case 1 -> window;
                case 2 -> window + 1;
                case 3 -> window + random.nextLong(window / 4 + 1);
                case 4 -> random.nextLong(10 * window);
                default -> random.nextLong(window);
            };
        }

        private void place(int number, int partition, long id, long time) {
            long at = time + random.nextLong(outOfOrderness + 1);
            boolean wild = random.nextInt(ONE_WILD_IN) == 0;
            long own = wild ? time + outOfOrderness + YEAR * (1 + random.nextInt(60)) : time;
            partitions
                    .get(partition)
                    .add(new Placed(new Occurrence(number, partition, id, own), at));
        }

        /** Each partition is read behind the others by a time of its own. */
        private List<Placed> lagging() {
            long[] lags =
                    partitions.stream()
                            .mapToLong(
                                    partition ->
                                            pick(
                                                    0,
                                                    TimeUnit.MINUTES.toMillis(5),
                                                    TimeUnit.DAYS.toMillis(2),
                                                    window / 2,
                                                    3 * window))
                            .toArray();
            List<Placed> arrivals = new ArrayList<>();
            partitions.forEach(arrivals::addAll);
            arrivals.sort(
                    Comparator.comparingLong(
                            placed -> placed.at() + lags[placed.record().partition()]));
            return arrivals;
        }

        /** Partitions take turns, for many records at a time, as fetches of a backlog do. */
        private List<Placed> inBursts() {
            int most = 1 + random.nextInt(500);
            int[] next = new int[partitions.size()];
            List<Placed> arrivals = new ArrayList<>();
            int total = partitions.stream().mapToInt(List::size).sum();
            while (arrivals.size() < total) {
                int from = random.nextInt(next.length);
                int to =
                        Math.min(
                                partitions.get(from).size(), next[from] + random.nextInt(most) + 1);
                arrivals.addAll(partitions.get(from).subList(next[from], to));
                next[from] = to;
            }
            return arrivals;
        }

        private long[] watermarks(List<Placed> arrivals) {
            long[] newest = new long[partitions.size()];
            int[] left = new int[partitions.size()];
            for (int i = 0; i < newest.length; i++) {
                newest[i] = NOT_YET;
                left[i] = partitions.get(i).size();
            }
            int every = 1 + random.nextInt(200);
            long[] watermarks = new long[arrivals.size() + 1];
            watermarks[0] = NOT_YET;
            for (int i = 0; i < arrivals.size(); i++) {
                Placed placed = arrivals.get(i);
                int partition = placed.record().partition();
                left[partition]--;
                if (!placed.isWild()) {
                    newest[partition] = Math.max(newest[partition], placed.record().time());
                }
                watermarks[i + 1] =
                        random.nextInt(every) == 0
                                ? Math.max(watermarks[i], watermark(newest, left))
                                : watermarks[i];
            }
            return watermarks;
        }

        private long watermark(long[] newest, int[] left) {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < newest.length; i++) {
                least = left[i] > 0 ? Math.min(least, newest[i]) : least;
            }
            return least == Long.MAX_VALUE || least == NOT_YET
                    ? NOT_YET
                    : least - outOfOrderness - 1;
        }

        private static List<Occurrence> records(List<Placed> placed) {
            return placed.stream().map(Placed::record).toList();
        }

        private long pick(long... choices) {
            return choices[random.nextInt(choices.length)];
        }
    }
}
