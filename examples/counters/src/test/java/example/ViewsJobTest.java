/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterValue;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

class ViewsJobTest {

    @Test
    void aRetryIsNotCountedAgain() throws Exception {
        assertThat(
                        counts(
                                new View("/home", "1", 1_000),
                                new View("/about", "2", 2_000),
                                new View("/home", "3", 3_000),
                                new View("/home", "1", 4_000),
                                new View("/about", "2", 5_000)))
                .containsOnly(Map.entry("/home", 2L), Map.entry("/about", 1L));
    }

    /** The last value of each page. */
    private static Map<String, Long> counts(View... views) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<CounterValue<String>> values =
                ViewsJob.count(ViewsJob.withTimestamps(env.fromData(views)));
        Map<String, Long> last = new HashMap<>();
        try (CloseableIterator<CounterValue<String>> results = values.executeAndCollect()) {
            results.forEachRemaining(value -> last.put(value.counter(), value.value()));
        }
        return last;
    }
}
