/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimeBucketsTest {

    @Test
    void entriesLiveTheirTimeAndAtMostOneBucketLonger() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < 100_000; round++) {
            long timeToLive = 1 + random.nextLong(1L << random.nextInt(1, 40));
            int buckets = 1 + random.nextInt(100);
            TimeBuckets of = TimeBuckets.of(timeToLive, buckets);
            long time = random.nextLong(-1_000, 1L << 42);
            long life = of.expiryOf(of.endOf(time)) - time;
            assertThat(life).isGreaterThan(timeToLive);
            assertThat(life).isLessThanOrEqualTo(timeToLive + Math.max(1, timeToLive / buckets));
        }
    }

    @Test
    void withoutATimeToLiveNothingExpires() {
        assertThat(TimeBuckets.ENDLESS.endOf(123)).isEqualTo(TimeBuckets.NEVER);
        assertThat(TimeBuckets.ENDLESS.expiryOf(123)).isEqualTo(TimeBuckets.NEVER);
        assertThat(TimeBuckets.of(10, 2).expiryOf(TimeBuckets.NEVER)).isEqualTo(TimeBuckets.NEVER);
    }

    @Test
    void aTimeToLiveThatReachesTheEndOfTimeNeverExpires() {
        for (int buckets : new int[] {1, 2, 8, 1024}) {
            for (long timeToLive : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1}) {
                TimeBuckets of = TimeBuckets.of(timeToLive, buckets);
                assertThat(of.expiryOf(of.endOf(1L << 42))).isEqualTo(TimeBuckets.NEVER);
            }
        }
        TimeBuckets of = TimeBuckets.of(1_000, 1);
        assertThat(of.endOf(Long.MAX_VALUE)).isEqualTo(TimeBuckets.NEVER);
    }

    /** Its beginning has no place in a long, but its end has. */
    @Test
    void theFirstBucketOfTimeEndsLikeAnyOther() {
        for (long bucket : new long[] {1, 7, 1_000, 1L << 40, Long.MAX_VALUE - 1}) {
            TimeBuckets of = TimeBuckets.of(bucket, 1);
            for (long time : new long[] {Long.MIN_VALUE + 1, Long.MIN_VALUE + 500}) {
                long end = of.endOf(time);
                assertThat(end).isGreaterThan(time).isLessThanOrEqualTo(time + bucket);
            }
        }
    }
}
