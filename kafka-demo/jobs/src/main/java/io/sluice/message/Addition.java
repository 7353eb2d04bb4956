/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.message.KafkaMessage.Problem;
import javax.annotation.Nullable;

/**
 * What a record adds to which counter.
 *
 * @param counter the bytes of the counter's name, each as a character of ISO 8859-1, so that equal
 *     names are equal bytes whatever they are
 * @param delta at most {@value WholeNumber#MAX} from 0
 */
public record Addition(String counter, long delta) implements Content {
    /** Names are keys of a topic and of Flink's state, and no place for whole documents. */
    static final int MAX_COUNTER = 1_000;

    /** Returns the bytes of the counter's name. */
    public byte[] name() {
        return counter.getBytes(ISO_8859_1);
    }

    /**
     * Returns the message with what it adds, or with the problem that keeps it from being counted.
     *
     * @param counter bytes of the name, as in an addition
     * @param delta text of a number; null for 1
     */
    static KafkaMessage to(KafkaMessage message, String counter, @Nullable String delta) {
        if (counter.length() > MAX_COUNTER) {
            return message.with(Problem.LONG_COUNTER);
        }
        if (delta == null) {
            return message.with(new Addition(counter, 1));
        }
        WholeNumber number = WholeNumber.of(delta);
        if (number.fault() == null) {
            return message.with(new Addition(counter, number.value()));
        }
        return message.with(
                switch (number.fault()) {
                    case NO_NUMBER -> Problem.NO_DELTA;
                    case FRACTIONAL -> Problem.FRACTIONAL_DELTA;
                    case TOO_LARGE -> Problem.LARGE_DELTA;
                });
    }
}
