/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.message.KafkaMessage.Problem;

/**
 * Which event of which state machine a record is.
 *
 * @param key the bytes of the machine's key, each as a character of ISO 8859-1, so that equal keys
 *     are equal bytes whatever they are
 * @param event its name
 */
public record KeyedEvent(String key, String event) implements Content {
    /** Each report has the key and the event, so neither may be a whole document. */
    static final int MAX_LENGTH = 1_000;

    /** Returns the message with its event, or with the problem that keeps it from being one. */
    static KafkaMessage to(KafkaMessage message, String key, String event) {
        if (key.length() > MAX_LENGTH) {
            return message.with(Problem.LONG_MACHINE);
        }
        return event.length() > MAX_LENGTH
                ? message.with(Problem.LONG_EVENT)
                : message.with(new KeyedEvent(key, event));
    }
}
