/* SPDX-License-Identifier: Apache-2.0 */
package example;

import io.sluice.flink.dedup.Deduplicate;
import java.time.Duration;
import org.apache.flink.streaming.api.datastream.DataStream;

/** What is tested: each click passes once in ten minutes. */
final class ClicksJob {

    private ClicksJob() {}

    static DataStream<String> once(DataStream<String> clicks) {
        return clicksOnce().apply(clicks);
    }

    /** Not applied to a stream yet: a test sets an option of its own first. */
    static Deduplicate<String, String> clicksOnce() {
        return Deduplicate.by((String click) -> click)
                .uid("clicks-dedup")
                .within(Duration.ofMinutes(10));
    }
}
