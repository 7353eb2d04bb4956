/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.bench.run.Progress;
import io.sluice.capture.traffic.SplitMix64;
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

    /** A map that tells when the first record comes. */
    private abstract static class Maker<K> extends RichMapFunction<Long, K> {
        final Ids ids;
        private transient boolean started;

        Maker(Ids ids) {
            this.ids = ids;
        }

        @Override
        public void open(OpenContext context) {
            started = false;
        }

        @Override
        public final K map(Long record) {
            if (!started) {
                started = true;
                Progress.current().firstRecord();
            }
            return id(SplitMix64.mix(ids.number(record)));
        }

        abstract K id(long mixed);
    }

    /** Well mixed 64-bit ids. */
    public static final class OfLong extends Maker<Long> {
        public OfLong(Ids ids) {
            super(ids);
        }

        @Override
        Long id(long mixed) {
            return mixed;
        }
    }

    /** 36 characters in the form of a UUID. */
    public static final class OfString extends Maker<String> {
        private static final byte[] HEX = "0123456789abcdef".getBytes(ISO_8859_1);
        private transient byte[] text;

        public OfString(Ids ids) {
            super(ids);
        }

        @Override
        public void open(OpenContext context) {
            super.open(context);
            text = new byte[36];
        }

        @Override
        String id(long high) {
            long low = SplitMix64.mix(high + SplitMix64.GAMMA);
            int at = 0;
            for (int i = 0; i < 32; i++) {
                if (i == 8 || i == 12 || i == 16 || i == 20) {
                    text[at++] = '-';
                }
                long half = i < 16 ? high : low;
                text[at++] = HEX[(int) (half >>> ((i & 15) * 4)) & 15];
            }
            return new String(text, ISO_8859_1);
        }
    }
}
