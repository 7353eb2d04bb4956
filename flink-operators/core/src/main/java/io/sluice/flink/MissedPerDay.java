/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static io.sluice.flink.WindowedOptions.EXPECTING;
import static io.sluice.flink.WindowedOptions.FALSE_POSITIVE_PROBABILITY;
import static io.sluice.flink.WindowedOptions.MAX_MISSED_PER_DAY;

import io.sluice.filter.forgetful.WindowOptions;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;

/** A false-positive probability that is set by what it costs at the expected rate. */
final class MissedPerDay {

    private static final double SECONDS_PER_DAY = 86_400;

    private MissedPerDay() {}

    /**
     * Returns the probability at which the number of first occurrences missed per day is kept;
     * empty if no number is set.
     *
     * @throws OptionException if the number is not above 0 or too small for the rate, or if the
     *     rate is missing, or if the probability is set as well
     */
    static Optional<Double> probability(ReadableConfig options) {
        Optional<Double> missed = options.getOptional(MAX_MISSED_PER_DAY);
        if (missed.isEmpty()) {
            return Optional.empty();
        }
        if (options.getOptional(FALSE_POSITIVE_PROBABILITY).isPresent()) {
            throw new OptionException(
                    FALSE_POSITIVE_PROBABILITY,
                    " and ",
                    MAX_MISSED_PER_DAY,
                    " exclude each other, but both are set: one follows from the other. Leave one"
                            + " of them out.");
        }
        long rate =
                options.getOptional(EXPECTING)
                        .orElseThrow(
                                () ->
                                        new OptionException(
                                                MAX_MISSED_PER_DAY,
                                                " needs ",
                                                EXPECTING,
                                                ", but that is not set: give the new ids per second"
                                                        + " of the whole stream."));
        double perDay = SECONDS_PER_DAY * Math.max(1, rate);
        double least = WindowOptions.MIN_FPP * perDay;
        if (!(missed.get() >= least && Double.isFinite(missed.get()))) {
            throw new OptionException(
                    MAX_MISSED_PER_DAY,
                    " must be at least ",
                    String.valueOf(least),
                    " at this rate, but is ",
                    String.valueOf(missed.get()),
                    ": a filter errs with at least ",
                    String.valueOf(WindowOptions.MIN_FPP),
                    "; verify in exact state if nothing may be missed.");
        }
        return Optional.of(Math.min(WindowSettings.MAX_FPP, missed.get() / perDay));
    }
}
