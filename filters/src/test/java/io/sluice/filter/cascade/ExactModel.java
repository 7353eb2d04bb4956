/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What a filter of {@link Universe}'s hashes has to answer: knows when each was last added. */
final class ExactModel {

    /** An answer. */
    enum Answer {
        ABSENT,
        PRESENT,
        /** Its time is over, but perhaps not yet that of its time bucket. */
        EITHER
    }

    /** Key group and id: time of the last addition. */
    private final Map<Long, Long> added = new HashMap<>();

    private final long timeToLive;

    /** The most by which an entry may live longer. */
    private final long bucket;

    private long now;

    /**
     * @param timeToLive {@link Long#MAX_VALUE} for ever
     */
    ExactModel(long timeToLive, long bucket) {
        this.timeToLive = timeToLive;
        this.bucket = bucket;
    }

    private static long key(int keyGroup, int id) {
        return (long) keyGroup << Universe.BITS | id;
    }

    void advanceTo(long time) {
        now = Math.max(now, time);
    }

    long now() {
        return now;
    }

    Answer ask(int keyGroup, int id) {
        Long time = added.get(key(keyGroup, id));
        if (time == null) {
            return Answer.ABSENT;
        }
        if (timeToLive == Long.MAX_VALUE || now - time < timeToLive) {
            return Answer.PRESENT;
        }
        return now - time <= timeToLive + bucket ? Answer.EITHER : Answer.ABSENT;
    }

    void add(int keyGroup, int id) {
        added.put(key(keyGroup, id), now);
    }

    void remove(int keyGroup, int id) {
        added.remove(key(keyGroup, id));
    }

    /** A copy of what belongs to a range of key groups. */
    ExactModel copy(int firstKeyGroup, int endKeyGroup) {
        ExactModel copy = new ExactModel(timeToLive, bucket);
        copy.now = now;
        added.forEach(
                (key, time) -> {
                    long keyGroup = key >> Universe.BITS;
                    if (keyGroup >= firstKeyGroup && keyGroup < endKeyGroup) {
                        copy.added.put(key, time);
                    }
                });
        return copy;
    }

    /** Takes over what another model, of other key groups, holds. */
    void addAll(ExactModel other) {
        added.putAll(other.added);
        now = Math.max(now, other.now);
    }

    /** Key groups and ids that have this answer: key group times 2^bits, plus id. */
    Set<Long> all(Answer answer) {
        Set<Long> all = new HashSet<>();
        for (long key : added.keySet()) {
            int id = (int) (key & Universe.HASHES - 1);
            if (ask((int) (key >> Universe.BITS), id) == answer) {
                all.add(key);
            }
        }
        return all;
    }
}
