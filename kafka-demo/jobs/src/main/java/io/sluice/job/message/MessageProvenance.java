/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.kafka.commit.Origins;
import io.sluice.kafka.commit.Provenance;
import io.sluice.message.KafkaMessage;
import io.sluice.message.KafkaMessage.Problem;
import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Makes a message once more from the record that it came from: as it was written, it differs from
 * that by its problem and by the header of a duplicate.
 */
public final class MessageProvenance implements Provenance<KafkaMessage> {
    /** Header of a duplicate that passes, with the value {@code true}. */
    public static final String DUPLICATE_HEADER = "sluice.duplicate";

    private static final long serialVersionUID = 1L;

    /** Of a kind; the number of headers is above them. */
    private static final int PROBLEM_BITS = 6;

    /** Returns the same record with the header of a duplicate. */
    public static KafkaMessage tagged(KafkaMessage message) {
        return message.with(new RecordHeader(DUPLICATE_HEADER, "true".getBytes(US_ASCII)));
    }

    @Override
    public void add(KafkaMessage message, Origins origins) {
        int problem = message.problem() == null ? 0 : message.problem().number();
        origins.add(
                message.topic(),
                message.partition(),
                message.offset(),
                (message.headers().length << PROBLEM_BITS) | problem);
    }

    @Override
    public KafkaMessage again(ConsumerRecord<byte[], byte[]> origin, int kind) throws IOException {
        KafkaMessage message = KafkaMessage.unread(origin);
        if (message.headers().length < kind >>> PROBLEM_BITS) {
            message = tagged(message);
        }
        int problem = kind & ((1 << PROBLEM_BITS) - 1);
        return problem == 0
                ? message
                : message.with(
                        Problem.ofNumber(problem)
                                .orElseThrow(
                                        () -> new IOException("the unknown problem " + problem)));
    }
}
