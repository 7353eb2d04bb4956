/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.sluice.flink.machine.MachineReport;
import io.sluice.kafka.TopicSchema;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A report of a machine on its topic: the key is the machine's id in 16 hexadecimal digits, the
 * value is JSON,
 *
 * <pre>{@code
 * {"version":1,"machine":"orders","kind":"finished","id":"00c5a1f09be2d377","key":"A-17",
 *  "from":"paid","event":"ship","state":"shipped","output":"parcel","timestamp":1520000000123}
 * }</pre>
 *
 * <p>with the kind in lower case ({@code timed-out}) and the event time in milliseconds. What a
 * report does not have is left out: {@code output} where the transition has none, and {@code key},
 * {@code from} and {@code event} of a machine that timed out or was open at the end, which is known
 * by the hash of its key alone; and {@code from} and {@code state} of one whose state is ambiguous.
 * All reports of a machine have one id, and so are in one partition, in their order. A key that is
 * not UTF-8 is {@code keyBytes}, in base64.
 */
public final class MachineReportSchema extends TopicSchema<MachineReport> {
    private final String machine;

    private transient StringBuilder text;

    /**
     * @param machine its name
     */
    public MachineReportSchema(String topic, String machine) {
        super(topic);
        this.machine = machine;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            MachineReport report, KafkaSinkContext context, Long timestamp) {
        return new ProducerRecord<>(topic, idBytes(report), json(report).getBytes(UTF_8));
    }

    /** Returns how topics name the machine of a report. */
    static String id(MachineReport report) {
        return HexFormat.of().toHexDigits(report.id());
    }

    /** Returns the key of a report on its topic. */
    static byte[] idBytes(MachineReport report) {
        return id(report).getBytes(US_ASCII);
    }

    private String json(MachineReport report) {
        if (text == null) {
            text = new StringBuilder(256);
        }
        text.setLength(0);
        text.append("{\"version\":1");
        put("machine", machine);
        put("kind", name(report.kind()));
        put("id", id(report));
        putKey(report.key());
        put("from", report.from());
        put("event", report.event());
        put("state", report.state());
        put("output", report.output());
        return text.append(",\"timestamp\":").append(report.millis()).append('}').toString();
    }

    private void putKey(@Nullable String key) {
        String text = text(key);
        put("key", text);
        if (key != null && text == null) {
            put("keyBytes", Base64.getEncoder().encodeToString(key.getBytes(ISO_8859_1)));
        }
    }

    /** Returns a key as text; null if there is none, or it is not UTF-8. */
    @Nullable
    static String text(@Nullable String key) {
        if (key == null) {
            return null;
        }
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(key.getBytes(ISO_8859_1))).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private void put(String name, @Nullable String value) {
        if (value != null) {
            text.append(",\"").append(name).append("\":\"");
            JsonStringEncoder.getInstance().quoteAsString(value, text);
            text.append('"');
        }
    }

    /** Returns how topics and options name a kind of report. */
    static String name(String kind) {
        return kind.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
