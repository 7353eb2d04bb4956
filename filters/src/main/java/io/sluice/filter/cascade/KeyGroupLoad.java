/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.function.IntToLongFunction;

/**
 * The probability that an absent hash is reported, key group by key group: n / 2^b for n entries of
 * a key group with b bits of a hash, added up over buffers and files.
 */
final class KeyGroupLoad {

    private final KeyGroups keyGroups;
    private final KeyGroupParts parts;

    /** For whole key groups. */
    private final double[] probability;

    private final double[] entries;

    KeyGroupLoad(KeyGroups keyGroups, KeyGroupParts parts) {
        this.keyGroups = keyGroups;
        this.parts = parts;
        this.probability = new double[keyGroups.count() / parts.count()];
        this.entries = new double[probability.length];
    }

    /**
     * Adds a file.
     *
     * @param hidden for each tombstone, entries that are not reported
     */
    void add(FileSection file, int hidden) {
        add(file, reported(file.entries(), Math.max(0, reported(file, hidden))), file.hashBits());
    }

    /** Adds a file as if its entries, tombstones included, kept {@code hashBits}. */
    void addAs(FileSection file, int hashBits) {
        add(file, 1, hashBits);
    }

    private void add(FileSection file, double share, int hashBits) {
        KeyGroups section = file.keyGroups().and(keyGroups);
        int from = (section.first() - keyGroups.first()) >> parts.hashBits();
        int to = (section.end() - keyGroups.first()) >> parts.hashBits();
        add(from, to, file.stored().counts()::of, share, hashBits);
    }

    /** Adds a buffer. */
    void add(EntryBuffer buffer, int hidden) {
        long reported = Math.max(0, buffer.size() - (long) hidden * buffer.tombstones());
        int groups = keyGroups.count() >> parts.hashBits();
        add(0, groups, buffer::entriesOf, reported(buffer.size(), reported), buffer.hashBits());
    }

    private static long reported(FileSection file, int hidden) {
        return file.entries() - hidden * file.tombstones();
    }

    /** Tombstones are taken to be spread as entries are. */
    private static double reported(long entries, long reported) {
        return entries == 0 ? 0 : (double) reported / (double) entries;
    }

    private void add(int from, int to, IntToLongFunction counts, double share, int hashBits) {
        int divided = parts.count() >> parts.hashBits();
        double unit = share / values(hashBits);
        for (int i = from; i < to; i++) {
            double count = (double) counts.applyAsLong(i);
            int whole = i / divided;
            probability[whole] += count * unit;
            entries[whole] += count;
        }
    }

    /** Hashes of a key group that {@code hashBits} tell from each other. */
    private double values(int hashBits) {
        return Math.scalb((double) parts.count(), hashBits);
    }

    /** That of the key group where it is greatest. */
    double greatest() {
        double greatest = 0;
        for (double one : probability) {
            greatest = Math.max(greatest, one);
        }
        return greatest;
    }

    /** That of an absent hash whose key group is as probable as it is among the entries. */
    double mean() {
        double sum = 0;
        double weights = 0;
        for (int i = 0; i < entries.length; i++) {
            sum += entries[i] * probability[i];
            weights += entries[i];
        }
        return weights == 0 ? 0 : sum / weights;
    }

    /** Key groups that the entries would fill evenly: all, or 1 if all are in one. */
    double spread() {
        double sum = 0;
        double most = 0;
        for (double one : entries) {
            sum += one;
            most = Math.max(most, one);
        }
        return most == 0 ? entries.length : sum / most;
    }

    /**
     * What may be added: nothing if a key group that has entries has no room.
     *
     * @param allowed probability that every key group may have
     * @param hashBits of what is added
     */
    EraRoom room(double allowed, int hashBits) {
        long[] room = new long[probability.length];
        double sum = 0;
        boolean isAnyFull = false;
        for (int i = 0; i < room.length; i++) {
            room[i] = (long) Math.min(left(i, allowed, hashBits), 0x1p62);
            sum += (double) room[i];
            isAnyFull |= room[i] == 0 && entries[i] > 0;
        }
        return new EraRoom(hashBits, isAnyFull ? 0 : (long) Math.min(sum, 0x1p62), i -> room[i]);
    }

    /** How many may be added if their key groups are as frequent as they were so far. */
    double expectedRoom(double allowed, int hashBits) {
        double sum = 0;
        for (double one : entries) {
            sum += one;
        }
        double least = (double) room(allowed, hashBits).entries();
        for (int i = 0; i < entries.length; i++) {
            if (entries[i] > 0) {
                least = Math.min(least, left(i, allowed, hashBits) * sum / entries[i]);
            }
        }
        return least;
    }

    private double left(int keyGroup, double allowed, int hashBits) {
        return Math.floor(Math.max(0, allowed - probability[keyGroup]) * values(hashBits));
    }
}
