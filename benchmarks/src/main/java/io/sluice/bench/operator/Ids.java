/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.operator;

import io.sluice.bench.run.RunClock;
import io.sluice.capture.SplitMix64;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Maps a record's number to its id: one in ten repeats one of the last 200,000. */
public final class Ids {
    private static final int DISTANCE = 200_000;

    private Ids() {}

    /** Distinct ids among the first {@code records} records. */
    public static long distinct(long records) {
        return records - records / 10;
    }

    private static long number(long record) {
        if (record % 10 != 9 || record < DISTANCE) {
            return record % 10 == 9 ? record - 9 : record;
        }
        long earlier = record - 1 - Long.remainderUnsigned(SplitMix64.mix(record), DISTANCE - 10);
        return earlier % 10 == 9 ? earlier - 1 : earlier;
    }

    /** Well mixed 64-bit ids. */
    public static final class OfLong extends RichMapFunction<Long, Long> {
        private transient boolean started;

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
            return SplitMix64.mix(number(record));
        }
    }

    /** 36 characters in the form of a UUID. */
    public static final class OfString extends RichMapFunction<Long, String> {
        private static final byte[] HEX = {
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
        };
        private transient boolean started;
        private transient byte[] text;

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
            long high = SplitMix64.mix(number(record));
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
