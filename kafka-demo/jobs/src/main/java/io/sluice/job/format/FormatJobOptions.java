/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.format;

import io.sluice.job.Converters;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaEnds;
import io.sluice.job.message.FirstRecords.RecordCheck;
import io.sluice.job.message.MessageJobOptions;
import io.sluice.kafka.InputTopics;
import io.sluice.message.Field;
import io.sluice.message.MessageReader;
import io.sluice.record.CounterKind;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** The options of jobs that read records of any kind, or packet records. */
public abstract class FormatJobOptions extends MessageJobOptions {
    public static final String FORMAT = "--format";
    public static final String COUNT_BY = "--count-by";

    /** What the records of the input are. */
    enum Format {
        /** Records of any kind, whose fields the options name. */
        FIELDS,
        /** The packet records of this project. */
        PACKETS
    }

    @Option(
            names = FORMAT,
            paramLabel = "FORMAT",
            description =
                    "What the records are: 'fields' for records of any kind, of which options say"
                            + " where their fields are, or 'packets' for those of 'sluice replay',"
                            + " on topic 'packets' by default. Default: fields with --counter of"
                            + " counters, with --id or --multiplicity of replicas, and of machines;"
                            + " packets otherwise.")
    private @Nullable Format format;

    @Option(
            names = COUNT_BY,
            converter = Converters.OfCounterKind.class,
            paramLabel = "KIND",
            description =
                    "Of packets that are counted, one counter per 'source' address or per 'service'"
                            + " (protocol and port). Default: source.")
    private @Nullable CounterKind countBy;

    /** Copies these options to {@code other}, which reads topics of its own. */
    protected final void copyTo(FormatJobOptions other) {
        super.copyTo(other);
        other.format = format;
        other.countBy = countBy;
    }

    /** Returns whether the command line says where the fields of records are. */
    protected abstract boolean namesFields();

    /** Returns the first option to give for fields, and what it names; follows "say with". */
    protected abstract String firstField();

    /** Returns the options for fields, and what they name; follows "say with". */
    protected abstract String allFields();

    /** Returns whether the input is packet records. */
    public final boolean isPackets() {
        return format == null ? !namesFields() : format == Format.PACKETS;
    }

    /** Returns what packets are counted by. */
    public final CounterKind countBy() {
        return countBy == null ? CounterKind.SOURCE : countBy;
    }

    /** Returns whether the command line says what packets are counted by. */
    protected final boolean countsBy() {
        return countBy != null;
    }

    /**
     * Refuses what says where fields are, since packets have their own.
     *
     * @param own options of the job that were given, besides those of all jobs
     */
    protected final void refuseFields(List<String> own) {
        List<String> given = new ArrayList<>(messages.given());
        given.addAll(own);
        if (!given.isEmpty()) {
            throw new IllegalArgumentException(
                    given.get(0)
                            + " has no effect on packets, whose fields are known: leave it out, or"
                            + " say with "
                            + firstField());
        }
    }

    /**
     * Checks the options of records of any kind.
     *
     * @param written what the job writes in place of records
     * @param instead the option in place of {@link #COUNT_BY}, and what it names
     * @param others fields that the job reads besides id and time
     * @param inAvro what the job writes in Avro; null if nothing
     */
    protected final void checkFields(
            String written, String instead, List<Field> others, @Nullable String inAvro) {
        if (countBy != null) {
            throw new IllegalArgumentException(
                    COUNT_BY + " is for packets: leave it out, as " + instead);
        }
        refusePassing(written);
        refuseTimesWithoutEffect();
        messages.check(others, inAvro);
    }

    @Override
    public final boolean readsMessages() {
        return !isPackets();
    }

    @Override
    protected String needs() {
        return isPackets() ? "is a packet record" : super.needs();
    }

    @Override
    protected String remedy() {
        return isPackets() ? "Say with " + allFields() + ": " + Field.SYNTAX : super.remedy();
    }

    @Override
    protected final RecordCheck recordCheck(@Nullable MessageReader reader) {
        PacketRecordCodec codec = new PacketRecordCodec();
        PacketRecord packet = new PacketRecord();
        return isPackets()
                ? record -> {
                    DecodeResult result = codec.decode(record.value(), packet);
                    return result.isOk() ? null : result.code();
                }
                : super.recordCheck(reader);
    }

    /** Packets have a topic of their own if none is given. */
    private boolean readsTheTopicOfPackets() {
        return isPackets() && !input.areGiven();
    }

    @Override
    public final List<String> inputTopics() {
        return readsTheTopicOfPackets() ? List.of(KafkaEnds.PACKETS) : super.inputTopics();
    }

    @Override
    public final InputTopics topicsToRead() {
        return readsTheTopicOfPackets() ? InputTopics.named(inputTopics()) : super.topicsToRead();
    }

    @Override
    protected final List<String> namedTopics() {
        return readsTheTopicOfPackets() ? inputTopics() : super.namedTopics();
    }

    @Override
    public final String source() {
        return isPackets() ? KafkaEnds.PACKETS : super.source();
    }

    /** Returns what may happen to records before the job decides about them. */
    protected final List<Trouble> troublesOfReading() {
        return isPackets() ? troublesOfTheInput(source()) : troubles();
    }

    @Override
    protected Map<String, String> optionsOfTheState() {
        return isPackets()
                ? new LinkedHashMap<>(Map.of(COUNT_BY, countBy().code()))
                : messages.ofTheState();
    }
}
