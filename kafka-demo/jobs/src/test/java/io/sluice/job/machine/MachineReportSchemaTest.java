/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.machine.MachineReport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class MachineReportSchemaTest {
    private final MachineReportSchema schema = new MachineReportSchema("out", "orders \"1\"");

    private String value(MachineReport report) {
        ProducerRecord<byte[], byte[]> record = schema.serialize(report, null, null);
        assertThat(record.topic()).isEqualTo("out");
        assertThat(new String(record.key(), UTF_8)).isEqualTo("00000000000000ff");
        assertThat(record.timestamp()).isNull();
        return new String(record.value(), UTF_8);
    }

    @Test
    void aReportIsJsonWithWhatItHas() {
        assertThat(
                        value(
                                new MachineReport(
                                        "FINISHED",
                                        255,
                                        new String("é\n".getBytes(UTF_8), ISO_8859_1),
                                        "paid",
                                        "ship",
                                        "shipped",
                                        "parcel",
                                        1_520_000_000_123L)))
                .isEqualTo(
                        "{\"version\":1,\"machine\":\"orders \\\"1\\\"\",\"kind\":\"finished\","
                                + "\"id\":\"00000000000000ff\",\"key\":\"é\\n\",\"from\":\"paid\","
                                + "\"event\":\"ship\",\"state\":\"shipped\",\"output\":\"parcel\","
                                + "\"timestamp\":1520000000123}");
    }

    @Test
    void whatAReportDoesNotHaveIsLeftOut() {
        assertThat(value(new MachineReport("TIMED_OUT", 255, null, null, null, "paid", null, -5)))
                .isEqualTo(
                        "{\"version\":1,\"machine\":\"orders \\\"1\\\"\",\"kind\":\"timed-out\","
                                + "\"id\":\"00000000000000ff\",\"state\":\"paid\","
                                + "\"timestamp\":-5}");
    }

    @Test
    void anAmbiguousEventHasNoState() {
        assertThat(value(new MachineReport("AMBIGUOUS", 255, "k", null, "pay", null, null, 7)))
                .isEqualTo(
                        "{\"version\":1,\"machine\":\"orders \\\"1\\\"\",\"kind\":\"ambiguous\","
                                + "\"id\":\"00000000000000ff\",\"key\":\"k\",\"event\":\"pay\","
                                + "\"timestamp\":7}");
    }

    @Test
    void aKeyThatIsNotTextIsBase64() {
        assertThat(value(new MachineReport("OPEN", 255, "\u00ff\u0001", null, null, "s", null, 0)))
                .contains("\"keyBytes\":\"/wE=\"")
                .doesNotContain("\"key\"");
    }
}
