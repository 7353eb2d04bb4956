/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.commit.Origins.Origin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OriginsTest {

    private static byte[] bytes(Origins origins) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(1);
        origins.write(out);
        return out.getCopyOfBuffer();
    }

    @Test
    void whatIsReadIsWhatWasAddedInAnyOrder() throws IOException {
        Random random = new Random(Long.getLong("test.seed", 1));
        Origins origins = new Origins();
        Map<TopicPartition, List<Origin>> added = new HashMap<>();
        long[] edges = {0, 1, Long.MAX_VALUE / 4};
        for (int i = 0; i < 10_000; i++) {
            int partition = random.nextInt(3);
            long offset =
                    i < edges.length ? edges[i] : random.nextLong(1L << (1 + random.nextInt(60)));
            int kind = random.nextInt(4) == 0 ? random.nextInt(Integer.MAX_VALUE) : 0;
            origins.add("topic", partition, offset, kind);
            added.computeIfAbsent(new TopicPartition("topic", partition), p -> new ArrayList<>())
                    .add(new Origin(offset, kind));
        }

        Origins read = Origins.read(new DataInputDeserializer(bytes(origins)));

        assertThat(read.byPartition()).isEqualTo(added);
        assertThat(read.isComplete()).isTrue();
        assertThat(read).hasToString(origins.toString());
        assertThat(read.toString()).startsWith("10,000 records made from topic-");
    }

    @Test
    void recordsThatFollowEachOtherTakeAByteEach() throws IOException {
        Origins origins = new Origins();
        for (int i = 0; i < 100_000; i++) {
            origins.add("topic", 0, 1_000_000_000_000L + i, 0);
        }

        assertThat(bytes(origins)).hasSizeLessThan(100_100);
    }

    @Test
    void valuesOfUnknownOriginAreCountedAndCannotBeMadeAgain() throws IOException {
        Origins origins = new Origins();
        origins.add("topic", 0, 7, 0);
        origins.add();

        Origins read = Origins.read(new DataInputDeserializer(bytes(origins)));

        assertThat(read.isComplete()).isFalse();
        assertThat(read).hasToString("2 records made from topic-0 from offset 7 to 7");
    }
}
