/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.fill.FillPhase;
import io.sluice.kafka.identity.StartedSplit;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

// Closing a reader may be interrupted.
@SuppressWarnings("try")
class LagAwareReaderTest {
    /** Of which the connector's reader was told, so that it commits offsets. */
    private final List<Long> completed = new ArrayList<>();

    @Test
    @SuppressWarnings("try") // Its close() may be interrupted.
    void noOffsetIsCommittedWhileTheJobReadsWhatItOnlyRemembers() throws Exception {
        try (LagAwareReader<String> reader =
                LagAwareReader.of(
                        kafka(),
                        new PartitionLags(),
                        new Properties(),
                        null,
                        new FillPhase(null, event -> {}))) {
            reader.start();
            reader.addSplits(
                    List.of(
                            new StartedSplit(
                                    new KafkaPartitionSplit(new TopicPartition("t", 0), 0), 10)));
            reader.notifyCheckpointComplete(1);
            assertThat(completed).isEmpty();

            reader.handleSourceEvents(new FillPhase.Over());
            reader.notifyCheckpointComplete(2);
            assertThat(completed).containsExactly(2L);
        }
    }

    @SuppressWarnings("unchecked")
    private SourceReader<String, KafkaPartitionSplit> kafka() {
        return (SourceReader<String, KafkaPartitionSplit>)
                Proxy.newProxyInstance(
                        SourceReader.class.getClassLoader(),
                        new Class<?>[] {SourceReader.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("notifyCheckpointComplete")) {
                                completed.add((Long) arguments[0]);
                            }
                            return null;
                        });
    }
}
