/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import io.sluice.message.KafkaMessage.Problem;

/**
 * How many copies of its id a record stands for.
 *
 * @param number from 0 to {@value WholeNumber#MAX}
 */
record Copies(long number) implements Content {

    /**
     * Returns the message with its copies, or with the problem that keeps them from being counted.
     *
     * @param multiplicity text of a number
     */
    static KafkaMessage to(KafkaMessage message, String multiplicity) {
        WholeNumber number = WholeNumber.of(multiplicity);
        if (number.fault() != null) {
            return message.with(
                    switch (number.fault()) {
                        case NO_NUMBER -> Problem.NO_MULTIPLICITY;
                        case FRACTIONAL -> Problem.FRACTIONAL_MULTIPLICITY;
                        case TOO_LARGE -> Problem.LARGE_MULTIPLICITY;
                    });
        }
        return number.value() < 0
                ? message.with(Problem.NEGATIVE_MULTIPLICITY)
                : message.with(new Copies(number.value()));
    }
}
