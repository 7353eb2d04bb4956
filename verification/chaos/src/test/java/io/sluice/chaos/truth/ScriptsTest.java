/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class ScriptsTest {
    private static final Duration WINDOW = Duration.ofSeconds(60);
    private static final int RATE = 1000;

    @Test
    void recordsAreAFunctionOfTheSeed() {
        assertThat(values(orders(5), 5000)).isEqualTo(values(orders(5), 5000));
        assertThat(values(orders(5), 5000)).isNotEqualTo(values(orders(6), 5000));
    }

    @Test
    void theRateIsAboutWhatWasAskedFor() {
        Script script = orders(1);
        long last = 0;
        for (int i = 0; i < 100_000; i++) {
            Script.Planned planned = script.next();
            assertThat(planned.dueMillis()).isGreaterThanOrEqualTo(last);
            last = planned.dueMillis();
        }
        assertThat(100_000_000.0 / last).isBetween(0.8 * RATE, 1.2 * RATE);
    }

    @Test
    void someIdsComeAgainInTheWindowAndSomeLongAfterIt() {
        ScriptedIds ids = new ScriptedIds(new SplittableRandom(3), WINDOW, RATE);
        Map<Long, Long> first = new HashMap<>();
        long within = 0;
        long after = 0;
        for (int i = 0; i < 600_000; i++) {
            ScriptedIds.Due due = ids.next();
            Long before = first.putIfAbsent(due.id(), due.millis());
            if (before != null) {
                long distance = due.millis() - before;
                within += distance <= WINDOW.toMillis() ? 1 : 0;
                after += distance >= 4 * WINDOW.toMillis() ? 1 : 0;
                assertThat(distance <= WINDOW.toMillis() || distance >= 4 * WINDOW.toMillis())
                        .isTrue();
            }
        }
        assertThat(within).isGreaterThan(100_000);
        assertThat(after).isGreaterThan(1000);
    }

    @Test
    void allSendsOfAnOperationHaveTheTimeOfTheFirst() {
        Script script = new OperationScript("t", 4, new SplittableRandom(2), WINDOW, RATE);
        Map<Long, Long> times = new HashMap<>();
        for (int i = 0; i < 100_000; i++) {
            PacketBytes packet = PacketBytes.of(script.next().record().apply(i).value());
            Long before = times.putIfAbsent(packet.operation(), packet.nanos());
            assertThat(before == null || before == packet.nanos()).isTrue();
        }
        assertThat(times).hasSizeLessThan(90_000);
    }

    @Test
    void allSendsOfAnIdWithAWrongTimeHaveIt() {
        Script script = orders(4);
        script.wildTimes(1_000_000_000);
        Map<String, Long> wild = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            if (i == 25_000) {
                script.wildTimes(0);
            }
            ProducerRecord<byte[], byte[]> record = script.next().record().apply(i);
            String value = new String(record.value(), US_ASCII);
            String id = value.substring(value.indexOf("\"id\""));
            if (record.timestamp() >= 1_000_000_000) {
                assertThat(wild.merge(id, record.timestamp(), (a, b) -> b))
                        .isEqualTo(record.timestamp());
            } else {
                assertThat(wild).doesNotContainKey(id);
            }
        }
        assertThat(wild).isNotEmpty();
    }

    private static Script orders(long seed) {
        return new OrderScript("t", 4, new SplittableRandom(seed), WINDOW, RATE);
    }

    private static List<String> values(Script script, int count) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ProducerRecord<byte[], byte[]> record = script.next().record().apply(i);
            values.add(record.partition() + new String(record.value(), US_ASCII));
        }
        return values;
    }
}
