/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.machine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.flink.machine.MachineReport;
import io.sluice.job.message.AvroTopicSchema;
import io.sluice.message.SchemaRegistry;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.io.BinaryEncoder;

/**
 * A report of a machine on its topic, as {@link MachineReportSchema} has it, in Avro: a record
 * {@code io.sluice.machines.MachineReport} with the same fields, which are null where the report
 * does not have them. The schema stands for the version.
 */
final class MachineReportAvroSchema extends AvroTopicSchema<MachineReport> {
    private final String machine;

    /**
     * @param machine its name
     */
    MachineReportAvroSchema(String topic, String machine, SchemaRegistry registry) {
        super(topic, registry, schema());
        this.machine = machine;
    }

    /** Returns the schema of a report. */
    static Schema schema() {
        return SchemaBuilder.record("MachineReport")
                .namespace("io.sluice.machines")
                .fields()
                .requiredString("machine")
                .requiredString("kind")
                .requiredString("id")
                .optionalString("key")
                .optionalBytes("keyBytes")
                .optionalString("from")
                .optionalString("event")
                .optionalString("state")
                .optionalString("output")
                .name("timestamp")
                .type(timestampMillis())
                .noDefault()
                .endRecord();
    }

    @Override
    protected byte[] key(MachineReport report) {
        return MachineReportSchema.idBytes(report);
    }

    @Override
    protected void encode(MachineReport report, BinaryEncoder out) throws IOException {
        out.writeString(machine);
        out.writeString(MachineReportSchema.name(report.kind()));
        out.writeString(MachineReportSchema.id(report));
        String key = MachineReportSchema.text(report.key());
        write(key, out);
        if (key == null && report.key() != null) {
            out.writeIndex(1);
            out.writeBytes(report.key().getBytes(ISO_8859_1));
        } else {
            write(null, out);
        }
        write(report.from(), out);
        write(report.event(), out);
        write(report.state(), out);
        write(report.output(), out);
        out.writeLong(report.millis());
    }

    private static void write(@Nullable String value, BinaryEncoder out) throws IOException {
        out.writeIndex(value == null ? 0 : 1);
        if (value != null) {
            out.writeString(value);
        }
    }
}
