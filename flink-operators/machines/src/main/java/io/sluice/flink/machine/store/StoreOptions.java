/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.flink.OptionRange;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * The options that every operator with a store has, under its own prefix.
 *
 * @param bits of a full key-value filter for each machine
 */
@Internal
public record StoreOptions(
        ConfigOption<StoreKind> store,
        ConfigOption<Double> errorProbability,
        ConfigOption<Integer> slices,
        ConfigOption<Long> expecting,
        ConfigOption<Double> bits,
        ConfigOption<MemorySize> memory,
        ConfigOption<WhenFull> whenFull,
        ConfigOption<Duration> maxFuture) {

    /** The most slices of a timeout. */
    public static final int MAX_SLICES = 16;

    /** Longer times are taken for a mistake in the unit. */
    public static final Duration MAX_TIME = Duration.ofDays(366);

    private static final double MIN_BITS = 16;
    private static final double MAX_BITS = 1024;

    /** The error of fingerprints where none is given. */
    private static final double DEFAULT_ERROR = 1e-4;

    private static final double LEAST_ERROR = 1e-9;
    private static final double MOST_ERROR = 0.1;

    /** Below this the fixed costs of key groups leave no room for machines. */
    private static final MemorySize MIN_MEMORY = MemorySize.ofMebiBytes(1);

    /**
     * Returns the options of an operator.
     *
     * @param prefix of their keys, without the last dot
     */
    public static StoreOptions of(String prefix, Nouns nouns) {
        String machines = nouns.machines();
        return new StoreOptions(
                ConfigOptions.key(prefix + ".store")
                        .enumType(StoreKind.class)
                        .defaultValue(StoreKind.EXACT)
                        .withDescription(
                                "What remembers "
                                        + machines
                                        + ": EXACT, a map, FINGERPRINTS, a table of parts of"
                                        + " hashes, or KBF, key-value Bloom filters. Fixed once"
                                        + " there is a savepoint."),
                ConfigOptions.key(prefix + ".error-probability")
                        .doubleType()
                        .noDefaultValue()
                        .withDescription(
                                "Share of "
                                        + nouns.events()
                                        + " that may be answered with a wrong state, or not at"
                                        + " all, 1.0E-9 to 0.1. Chooses the store with the least"
                                        + " memory for it, unless one is named. Without it, the"
                                        + " store is EXACT; FINGERPRINTS are made for 1.0E-4."),
                ConfigOptions.key(prefix + ".slices")
                        .intType()
                        .defaultValue(1)
                        .withDescription(
                                "Slices of a timeout, 1 to 16: a "
                                        + nouns.machine()
                                        + " times out at most one of them late. Each costs KBF a"
                                        + " lookup."),
                ConfigOptions.key(prefix + ".expecting")
                        .longType()
                        .defaultValue(100_000L)
                        .withDescription(
                                nouns.capital()
                                        + " of the whole stream at one time. Sizes the first"
                                        + " filters; they adapt later."),
                ConfigOptions.key(prefix + ".bits-per-" + nouns.machine())
                        .doubleType()
                        .defaultValue(96.0)
                        .withDescription(
                                "Bits of a full key-value filter for each "
                                        + nouns.machine()
                                        + ", 16 to 1024."),
                ConfigOptions.key(prefix + ".memory")
                        .memoryType()
                        .defaultValue(MemorySize.ofMebiBytes(256))
                        .withDescription(
                                "Hard cap on the memory of the " + machines + " of one subtask."),
                ConfigOptions.key(prefix + ".when-full")
                        .enumType(WhenFull.class)
                        .defaultValue(WhenFull.IGNORE)
                        .withDescription(
                                "What gives when the memory is used up: IGNORE further "
                                        + machines
                                        + ", EVICT "
                                        + machines
                                        + " that are held, or FAIL the job."),
                ConfigOptions.key(prefix + ".max-future")
                        .durationType()
                        .noDefaultValue()
                        .withDescription(
                                "How far ahead of the watermark a timestamp is believed; one"
                                        + " further ahead counts as exactly that far ahead. By"
                                        + " default, the longest timeout, at least an hour."));
    }

    /** Returns whether a configuration has the exact store, by its name or for want of a choice. */
    public static boolean isExact(
            ReadableConfig from, ConfigOption<StoreKind> store, ConfigOption<Double> error) {
        return from.getOptional(store)
                .map(named -> named == StoreKind.EXACT)
                .orElse(from.getOptional(error).isEmpty());
    }

    /** Returns all of them. */
    public List<ConfigOption<?>> all() {
        return List.of(
                store, errorProbability, slices, expecting, bits, memory, maxFuture, whenFull);
    }

    /**
     * Checks the number of slices.
     *
     * @throws io.sluice.flink.OptionException if it is out of range
     */
    public void checkSlices(int number) {
        new OptionRange<>(
                        slices,
                        1,
                        MAX_SLICES,
                        "with 1, a time may be exceeded by as much as its length")
                .check(number);
    }

    /**
     * Checks the other options of a configuration.
     *
     * @throws io.sluice.flink.OptionException if one is out of range
     */
    public void check(ReadableConfig from) {
        new OptionRange<>(expecting, 1L, null, "give the number of the whole stream at one time")
                .check(from.get(expecting));
        new OptionRange<>(bits, MIN_BITS, MAX_BITS, "96 loses the state of one in some thousands")
                .check(from.get(bits));
        new OptionRange<>(memory, MIN_MEMORY, null, "it is that of one subtask; raise it")
                .check(from.get(memory));
        from.getOptional(maxFuture)
                .ifPresent(
                        new OptionRange<>(
                                        maxFuture,
                                        Duration.ZERO,
                                        MAX_TIME,
                                        "give how far ahead of the watermark a timestamp may be")
                                ::check);
        from.getOptional(errorProbability)
                .ifPresent(
                        new OptionRange<>(
                                        errorProbability,
                                        LEAST_ERROR,
                                        MOST_ERROR,
                                        "it is a share of all events; for less, name the store"
                                                + " EXACT")
                                ::check);
    }

    /**
     * Returns the settings that a configuration has, unchecked.
     *
     * @param spreadMillis how far ahead of the watermark a time is believed
     */
    public StoreSettings settings(
            ReadableConfig from,
            Nouns nouns,
            StateTimes times,
            List<double[]> frequencies,
            long spreadMillis) {
        Double error = from.getOptional(errorProbability).orElse(null);
        boolean isChosen = error != null && from.getOptional(store).isEmpty();
        return new StoreSettings(
                nouns,
                isChosen ? null : from.get(store),
                times,
                frequencies,
                from.get(expecting),
                bits(from, times, frequencies, error),
                error == null ? DEFAULT_ERROR : error,
                spreadMillis,
                from.get(memory),
                from.get(whenFull),
                0);
    }

    /** Those that are given; else, with an error, as many as that takes. */
    private double bits(
            ReadableConfig from,
            StateTimes times,
            List<double[]> frequencies,
            @Nullable Double error) {
        StoreKind named = from.getOptional(store).orElse(null);
        boolean isGiven = named == StoreKind.KBF && from.getOptional(bits).isPresent();
        if (error == null || isGiven || (named != null && named != StoreKind.KBF)) {
            return from.get(bits);
        }
        return KeyValueGenerations.bits(error, times.slices(), (int) MAX_BITS, frequencies);
    }
}
