/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import org.apache.kafka.common.header.Header;

/** Messages for tests. */
public final class TestMessages {
    private static final Header[] NO_HEADERS = {};

    private TestMessages() {}

    /** A message with this id and time, distinct by its offset. */
    public static KafkaMessage message(String id, long time, long offset) {
        return new KafkaMessage(
                "t", 0, offset, Math.max(0, time), null, null, NO_HEADERS, id, time, null);
    }
}
