/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import io.sluice.message.KafkaMessage;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * Duplicates of one id that were suppressed: how many, when, and where the first of them is.
 *
 * @param id as {@link KafkaMessage#id}
 * @param count how many, at least 1
 * @param first the least of their times, in ms since 1970
 * @param last the greatest
 * @param topic of the first that came
 * @param partition of that one
 * @param offset of that one
 */
record Suppressed(
        String id, long count, long first, long last, String topic, int partition, long offset) {

    static final TypeInformation<Suppressed> TYPE =
            new OpaqueTypeInfo<>(Suppressed.class, SuppressedSerializer.INSTANCE);

    /** One that was just suppressed. */
    static Suppressed of(KafkaMessage duplicate) {
        return new Suppressed(
                duplicate.id(),
                1,
                duplicate.time(),
                duplicate.time(),
                duplicate.topic(),
                duplicate.partition(),
                duplicate.offset());
    }

    /** This one, at another time. */
    Suppressed at(long time) {
        return new Suppressed(id, count, time, time, topic, partition, offset);
    }

    /** Both, where {@code later} came after this. */
    Suppressed and(Suppressed later) {
        return new Suppressed(
                id,
                count + later.count,
                Math.min(first, later.first),
                Math.max(last, later.last),
                topic,
                partition,
                offset);
    }
}
