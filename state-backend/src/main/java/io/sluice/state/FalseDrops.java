/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.Optional;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;

/**
 * A false-positive probability expressed as its cost: the number of new keys per day that are taken
 * for seen. On average it is the probability times the new keys per day.
 */
final class FalseDrops {

    /** Probabilities are below one half. */
    private static final double MAX_PROBABILITY = Math.nextDown(0.5);

    private FalseDrops() {}

    /**
     * The probability with which at most this many keys per day are dropped on average; always less
     * than 0.5.
     *
     * @param dropsPerDay more than 0
     * @param newKeysPerDay at least 1
     */
    static double probability(double dropsPerDay, long newKeysPerDay) {
        return Math.min(MAX_PROBABILITY, dropsPerDay / newKeysPerDay);
    }

    static boolean isValid(double dropsPerDay) {
        return dropsPerDay > 0 && Double.isFinite(dropsPerDay);
    }

    /**
     * The probability that the options set, in either of two ways.
     *
     * @throws IllegalConfigurationException if they use both ways, or only one of the two options
     *     of the second
     */
    static double falsePositiveProbability(ReadableConfig config) {
        Optional<Double> drops = config.getOptional(CascadeBackendOptions.MAX_FALSE_DROPS_PER_DAY);
        Optional<Long> newKeys = config.getOptional(CascadeBackendOptions.NEW_KEYS_PER_DAY);
        Optional<Double> given =
                config.getOptional(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY);
        String dropsKey = CascadeBackendOptions.MAX_FALSE_DROPS_PER_DAY.key();
        String newKeysKey = CascadeBackendOptions.NEW_KEYS_PER_DAY.key();
        String givenKey = CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY.key();
        if (drops.isEmpty() && newKeys.isEmpty()) {
            return config.get(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY);
        }
        if (drops.isEmpty()) {
            throw new IllegalConfigurationException(
                    newKeysKey
                            + " is set without "
                            + dropsKey
                            + " and means nothing alone. Set both, or neither.");
        }
        if (!isValid(drops.get())) {
            throw new IllegalConfigurationException(
                    dropsKey + " is " + drops.get() + ", but must be more than 0 and finite.");
        }
        if (given.isPresent()) {
            throw new IllegalConfigurationException(
                    dropsKey
                            + " is "
                            + drops.get()
                            + " and "
                            + givenKey
                            + " is "
                            + given.get()
                            + ": both say the same thing. Remove one of them.");
        }
        if (newKeys.isEmpty()) {
            throw new IllegalConfigurationException(
                    dropsKey
                            + " is "
                            + drops.get()
                            + ", but "
                            + newKeysKey
                            + " is not set. Set it to the number of new keys in a day, or set "
                            + givenKey
                            + " instead of both.");
        }
        if (newKeys.get() < 1) {
            throw new IllegalConfigurationException(
                    newKeysKey + " is " + newKeys.get() + ", but must be at least 1.");
        }
        return probability(drops.get(), newKeys.get());
    }
}
