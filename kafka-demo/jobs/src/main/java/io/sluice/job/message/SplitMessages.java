/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.job.KafkaEnds;
import io.sluice.job.message.UnreadableArguments.OnUnreadable;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.RecordLimit;
import io.sluice.kafka.TopicLimits;
import io.sluice.message.KafkaMessage;
import io.sluice.message.KafkaMessage.Problem;
import io.sluice.message.MessageTypeInfoFactory;
import io.sluice.message.Tombstones;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Passes the records that have an id and, if needed, a time, and that the output topics take.
 * Others go to a side output: what the topics do not take always to {@link #REJECTED}, the rest as
 * {@link OnUnreadable} says. Both are counted. Of the records that a job only remembers, all others
 * end here.
 */
public final class SplitMessages extends ProcessFunction<KafkaMessage, KafkaMessage> {
    static final OutputTag<KafkaMessage> REJECTED =
            new OutputTag<>("rejected", MessageTypeInfoFactory.TYPE);

    /** Records without an id that pass all the same. */
    public static final OutputTag<KafkaMessage> UNJUDGED =
            new OutputTag<>("unjudged", MessageTypeInfoFactory.TYPE);

    /** Counts records that are dead letters. */
    static final String REJECTED_METRIC = KafkaEnds.REJECTED;

    /** Counts records that pass without having been looked up. */
    static final String UNJUDGED_METRIC = "unjudged";

    /** Counts records without a value that end here. */
    public static final String DROPPED_TOMBSTONES = "droppedTombstones";

    private final OnUnreadable onUnreadable;
    private final boolean dropsTombstones;
    private final Brokers brokers;
    private final ArrayList<String> outputs;
    private final int spareBytes;

    private transient TopicLimits limits;
    private transient Compression compression;
    private transient int largest;
    private transient Counter rejected;
    private transient Counter unjudged;
    private transient Counter droppedTombstones;

    /**
     * @param outputs the topics that records may go to
     * @param spareBytes by which the job may enlarge a record
     */
    SplitMessages(
            UnreadableArguments unreadable, Brokers brokers, List<String> outputs, int spareBytes) {
        this.onUnreadable = unreadable.onUnreadable();
        this.dropsTombstones = unreadable.tombstones() == Tombstones.DROP;
        this.brokers = brokers;
        this.outputs = new ArrayList<>(outputs);
        this.spareBytes = spareBytes;
    }

    @Override
    public void open(OpenContext context) {
        limits = TopicLimits.of(brokers, outputs);
        compression = RecordLimit.compression(brokers);
        largest = RecordLimit.largestRecord(brokers);
        rejected = getRuntimeContext().getMetricGroup().counter(REJECTED_METRIC);
        unjudged = getRuntimeContext().getMetricGroup().counter(UNJUDGED_METRIC);
        droppedTombstones = getRuntimeContext().getMetricGroup().counter(DROPPED_TOMBSTONES);
    }

    @Override
    public void processElement(KafkaMessage message, Context context, Collector<KafkaMessage> out) {
        if (dropsTombstones && message.value() == null && message.key() != null) {
            if (!message.isBeforeStart()) {
                droppedTombstones.inc();
            }
            return;
        }
        Problem refused = refusal(message);
        if (message.isBeforeStart()) {
            if (refused == null && message.problem() == null) {
                out.collect(message);
            }
        } else if (refused != null) {
            reject(message.with(refused), context);
        } else if (message.problem() == null) {
            out.collect(message);
        } else {
            switch (onUnreadable) {
                case DEAD_LETTER -> reject(message, context);
                case FORWARD -> {
                    unjudged.inc();
                    context.output(UNJUDGED, message);
                }
                case FAIL ->
                        // Read again, it would be the same.
                        throw new SuppressRestartsException(
                                new IllegalStateException(
                                        "The record "
                                                + message
                                                + " cannot be judged: "
                                                + message.problem().code()
                                                + ". Correct --id or --time, or use --on-unreadable"
                                                + " dead-letter."));
            }
        }
    }

    @Nullable
    private Problem refusal(KafkaMessage message) {
        if (message.key() == null && limits.needsKey()) {
            return Problem.NO_KEY;
        }
        if (RecordLimit.sizeOf(message.key(), message.value(), message.headers()) + spareBytes
                        > limits.bytes()
                && !fitsCompressed(message)) {
            return Problem.TOO_LARGE;
        }
        // A record that is only remembered had another age when it was written.
        return message.isBeforeStart()
                        || limits.takesTime(message.timestamp(), System.currentTimeMillis())
                ? null
                : Problem.BAD_TIMESTAMP;
    }

    /** A broker measures what is compressed; the producer measures what is not. */
    private boolean fitsCompressed(KafkaMessage message) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(
                        message.topic(),
                        null,
                        null,
                        message.key(),
                        message.value(),
                        new RecordHeaders(message.headers()));
        return RecordLimit.sizeOf(record) + spareBytes <= largest
                && RecordLimit.batchOf(compression, record) + spareBytes <= limits.batchBytes();
    }

    private void reject(KafkaMessage message, Context context) {
        rejected.inc();
        context.output(REJECTED, message);
    }
}
