/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.run.RunClock;
import io.sluice.capture.SplitMix64;
import java.io.Serializable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/**
 * Maps a record's number to its id: one in ten repeats the id of an earlier record, each equally
 * likely, however long ago it came within the range.
 *
 * @param part records that a subtask of the source emits; it draws from its own, which came before
 * @param range records before a duplicate that it is drawn from
 */
public record Ids(long part, long range) implements Serializable {

    /** Duplicates of all that a subtask of the source emitted before, of {@code records}. */
    public static Ids ofAll(long records, int subtasks) {
        return new Ids((records + subtasks - 1) / subtasks, Long.MAX_VALUE);
    }

    /** Distinct ids among the first {@code records} records. */
    public static long distinct(long records) {
        return records - records / 10;
    }

    long number(long record) {
        if (record % 10 != 9) {
            return record;
        }
        long before = Math.min(record % part, range);
        if (before == 0) {
            return record - 9;
        }
        long earlier = record - before + Long.remainderUnsigned(SplitMix64.mix(record), before);
        return earlier % 10 == 9 ? earlier + 1 : earlier;
    }

    /** Well mixed 64-bit ids. */
    public static final class OfLong extends RichMapFunction<Long, Long> {
        private final Ids ids;
        private transient boolean started;

        public OfLong(Ids ids) {
            this.ids = ids;
        }

        @Override
        public void open(OpenContext context) {
            started = false;
        }

        @Override
        public Long map(Long record) {
            if (!started) {
                started = true;
                RunClock.firstRecord();
            }
            return SplitMix64.mix(ids.number(record));
        }
    }

    /** 36 characters in the form of a UUID. */
    public static final class OfString extends RichMapFunction<Long, String> {
        private static final byte[] HEX = {
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
        };
        private final Ids ids;
        private transient boolean started;
        private transient byte[] text;

        public OfString(Ids ids) {
            this.ids = ids;
        }

        @Override
        public void open(OpenContext context) {
            started = false;
            text = new byte[36];
        }

        @Override
        public String map(Long record) {
            if (!started) {
                started = true;
                RunClock.firstRecord();
            }
            long high = SplitMix64.mix(ids.number(record));
            long low = SplitMix64.mix(high + SplitMix64.GAMMA);
            int at = 0;
            for (int i = 0; i < 32; i++) {
                if (i == 8 || i == 12 || i == 16 || i == 20) {
                    text[at++] = '-';
                }
                long half = i < 16 ? high : low;
                text[at++] = HEX[(int) (half >>> ((i & 15) * 4)) & 15];
            }
            return new String(text, java.nio.charset.StandardCharsets.ISO_8859_1);
        }
    }
}
