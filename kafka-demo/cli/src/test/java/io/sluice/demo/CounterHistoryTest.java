/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class CounterHistoryTest {
    private final Timeline time = new Timeline(0, 3999, 4);
    private final CounterHistory history = new CounterHistory(time, "a");

    @Test
    void aLaterValueReplacesAnEarlierOne() throws IOException {
        emit(0, "a", 3, 500);
        emit(1, "b", 1, 900);
        emit(0, "a", 7, 3500);

        assertThat(history.values().get("a").value()).isEqualTo(7);
        assertThat(history.total()[3]).isEqualTo(8);
        assertThat(history.watched()[3]).isEqualTo(7);
    }

    @Test
    void aChangeIsSpreadOverTheTimeSinceTheRoundBefore() throws IOException {
        emit(0, "a", 2, 500);
        emit(0, "a", 8, 3500);

        // The second round begins at 500, where the first one ended: six over four intervals.
        assertThat(history.watched()).containsExactly(3.5, 5, 6.5, 8);
    }

    @Test
    void aSingleOperationIsWhereItHappened() throws IOException {
        emit(0, "a", 1, 2500);

        assertThat(history.watched()).containsExactly(0, 0, 1, 1);
    }

    @Test
    void anUnknownFieldIsAnErrorAndNotASilentZero() {
        assertThatThrownBy(() -> history.accept(record(0, "a", "{\"count\":3}")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("count");
    }

    private void emit(int partition, String counter, long value, long timestamp)
            throws IOException {
        history.accept(
                record(
                        partition,
                        counter,
                        "{\"value\":"
                                + value
                                + ",\"expectedUndercount\":0.5,\"timestamp\":"
                                + timestamp
                                + "}"));
    }

    private static ConsumerRecord<byte[], byte[]> record(int partition, String key, String value) {
        return new ConsumerRecord<>(
                "counters",
                partition,
                0,
                key.getBytes(StandardCharsets.US_ASCII),
                value.getBytes(StandardCharsets.US_ASCII));
    }
}
