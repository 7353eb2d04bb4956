/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import java.io.IOException;
import java.io.Serializable;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Says which Kafka record a written value was made from, and makes the value once more.
 *
 * @param <T> type of the values
 */
public interface Provenance<T> extends Serializable {

    /** Adds the record that {@code value} was made from to {@code origins}. */
    void add(T value, Origins origins);

    /**
     * Makes the value once more.
     *
     * @param kind as it was added
     * @throws IOException if the record cannot be read
     */
    T again(ConsumerRecord<byte[], byte[]> origin, int kind) throws IOException;
}
