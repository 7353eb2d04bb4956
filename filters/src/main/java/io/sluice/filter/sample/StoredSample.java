/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.Persistent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The persistent form of an {@link IdSample}: one envelope of kind 8, version 1.
 *
 * <pre>
 *   parameters: limit (8), window (8), slack (8), clock (8), counts from (8),
 *               earlier firsts (8), earlier dropped (8), missed (8), bits of a group (8)
 *   payload:    hash and record of each id, see {@link SampleRecord}
 * </pre>
 *
 * @param limit ids whose remixed hash, of 63 bits, is smaller belong to the sample; 0 if it is
 *     switched off
 * @param windowMillis 0 if ids do not expire
 * @param slackMillis how much longer than its window the filter may hold an id
 * @param clock the last time that was told; {@link Long#MIN_VALUE} if none was
 * @param countsFrom the time from which on new ids count; {@link Long#MIN_VALUE}: always, {@link
 *     Long#MAX_VALUE}: not known yet
 * @param earlierFirsts new ids that counted and are not among the entries
 * @param earlierDropped how many of them the filter reported as seen
 * @param missed duplicates that the filter let pass although it had to hold them
 * @param groupBits bits of a group, from 0 to 16
 * @param entries pairs of hash and record
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
@Internal
public record StoredSample(
        long limit,
        long windowMillis,
        long slackMillis,
        long clock,
        long countsFrom,
        long earlierFirsts,
        long earlierDropped,
        long missed,
        int groupBits,
        long[] entries)
        implements Persistent {

    /** Sums of this many from all possible subtasks fit into a long. */
    static final long MAX_COUNT = 1L << 46;

    /** The kind of the envelope. */
    public static final int KIND = 8;

    private static final int VERSION = 1;
    private static final int PARAMETERS = 9;

    public StoredSample {
        if (limit < 0
                || windowMillis < 0
                || slackMillis < 0
                || earlierDropped < 0
                || earlierFirsts < earlierDropped
                || earlierFirsts > MAX_COUNT
                || missed < 0
                || missed > MAX_COUNT
                || groupBits < 0
                || groupBits > SampleRecord.MAX_GROUP_BITS
                || entries.length % 2 != 0) {
            throw new IllegalArgumentException("impossible counts or parameters of a sample");
        }
        for (int i = 1; i < entries.length; i += 2) {
            if (!SampleRecord.isValid(entries[i])) {
                throw new IllegalArgumentException(
                        "a sample has no record like " + Long.toHexString(entries[i]));
            }
        }
    }

    /** Returns the number of ids, counting an id once for each of its times. */
    public int size() {
        return entries.length / 2;
    }

    /** Sees ids. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Sees an id.
         *
         * @param time at which it came, in ms
         */
        void id(long hash, long time);
    }

    /** Shows every id, once for each of its times that are kept. O(size). */
    public void forEach(Visitor visitor) {
        SampleRecord layout = new SampleRecord(groupBits);
        for (int i = 0; i < entries.length; i += 2) {
            visitor.id(entries[i], layout.time(entries[i + 1]));
        }
    }

    /** Returns whether the sample chooses the id with this hash. */
    public boolean contains(long hash) {
        return IdSample.isBelow(limit, hash);
    }

    /** Returns that one in this many ids is chosen; 0: none. */
    public long oneIn() {
        return IdSample.oneIn(limit);
    }

    /** Returns whether the sample knows all ids of its choice that the filter may hold. */
    public boolean isComplete() {
        return limit > 0 && countsFrom <= clock;
    }

    /**
     * Returns a sample of a filter that holds what this one's and another's hold: it knows the ids
     * of both that both choose, and what this one has measured of them. If one of the two does not
     * know all ids of its choice, the result begins to count when no id is left that it does not
     * know.
     *
     * @throws IllegalArgumentException if the other is of another kind
     */
    public StoredSample union(StoredSample other) {
        if (groupBits != other.groupBits) {
            throw new IllegalArgumentException(
                    "samples with groups of "
                            + groupBits
                            + " and "
                            + other.groupBits
                            + " bits have no union");
        }
        long both = Math.min(limit, other.limit);
        if (both == 0) {
            return new StoredSample(
                    limit,
                    windowMillis,
                    slackMillis,
                    clock,
                    Long.MAX_VALUE,
                    earlierFirsts,
                    earlierDropped,
                    missed,
                    groupBits,
                    entries);
        }
        Map<Id, NavigableMap<Long, Long>> records = new LinkedHashMap<>();
        add(entries, both, records);
        add(other.unmeasured().entries, both, records);
        LongStream.Builder all = LongStream.builder();
        records.forEach(
                (id, times) -> times.values().forEach(record -> all.add(id.hash).add(record)));
        long dropped = part(earlierDropped, both);
        return new StoredSample(
                both,
                windowMillis,
                slackMillis,
                clock,
                Math.max(countsFrom, other.countsFrom),
                dropped + part(earlierFirsts - earlierDropped, both),
                dropped,
                missed,
                groupBits,
                all.build().toArray());
    }

    private long part(long count, long newLimit) {
        return newLimit == limit ? count : (long) ((double) newLimit / limit * count);
    }

    /** Returns the same ids, of which nothing has been measured yet. */
    public StoredSample unmeasured() {
        long[] without = entries.clone();
        for (int i = 1; i < without.length; i += 2) {
            without[i] &= ~(SampleRecord.COUNTED | SampleRecord.DROPPED);
        }
        return new StoredSample(
                limit, windowMillis, slackMillis, clock, countsFrom, 0, 0, 0, groupBits, without);
    }

    private record Id(long hash, int group) {}

    /** Adds records by time that are not there yet. An id keeps its latest times. */
    private void add(long[] from, long newLimit, Map<Id, NavigableMap<Long, Long>> to) {
        SampleRecord layout = new SampleRecord(groupBits);
        for (int i = 0; i < from.length; i += 2) {
            long hash = from[i];
            long record = from[i + 1];
            if (IdSample.isBelow(newLimit, hash)) {
                NavigableMap<Long, Long> times =
                        to.computeIfAbsent(
                                new Id(hash, layout.group(record)), id -> new TreeMap<>());
                times.putIfAbsent(layout.time(record), record);
                if (times.size() > IdSample.MAX_TIMES) {
                    times.pollFirstEntry();
                }
            }
        }
    }

    /** Returns what was measured. */
    public MeasuredError error() {
        return new MeasuredError(
                earlierFirsts + count(SampleRecord.COUNTED),
                earlierDropped + count(SampleRecord.DROPPED));
    }

    private long count(long flag) {
        long count = 0;
        for (int i = 1; i < entries.length; i += 2) {
            count += SampleRecord.has(flag, entries[i]) ? 1 : 0;
        }
        return count;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(PARAMETERS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        parameters
                .asLongBuffer()
                .put(
                        new long[] {
                            limit,
                            windowMillis,
                            slackMillis,
                            clock,
                            countsFrom,
                            earlierFirsts,
                            earlierDropped,
                            missed,
                            groupBits
                        });
        FilterWriter writer =
                new FilterWriter(
                        out, KIND, VERSION, parameters, (long) entries.length * Long.BYTES);
        writer.words(entries, 0, entries.length);
        writer.finish();
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static StoredSample readFrom(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION);
        long words = reader.payloadLeft() / Long.BYTES;
        if (reader.parameters().remaining() != PARAMETERS * Long.BYTES
                || reader.payloadLeft() % (2 * Long.BYTES) != 0
                || words > Integer.MAX_VALUE) {
            throw reader.corrupt("impossible length of a sample: " + words + " words");
        }
        LongBuffer from = reader.parameters().asLongBuffer();
        long[] entries = reader.words((int) words);
        reader.finish();
        try {
            return new StoredSample(
                    from.get(),
                    from.get(),
                    from.get(),
                    from.get(),
                    from.get(),
                    from.get(),
                    from.get(),
                    from.get(),
                    Math.toIntExact(from.get()),
                    entries);
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw reader.corrupt(e.getMessage());
        }
    }
}
