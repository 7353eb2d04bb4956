/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * What a user may change about a query with {@code DEDUPLICATE} between a savepoint and the next
 * start: options of the state backend, and arguments of the function.
 *
 * @param delegate which may change with a canonical savepoint only
 * @param probability of a false positive
 * @param backend all other options, by their names
 * @param arguments of the function, each after a comma
 */
record SqlOptions(
        String delegate, double probability, Map<String, String> backend, String arguments) {
    private static final String PREFIX = "state.backend.cascade.";
    private static final List<String> DELEGATES = List.of("rocksdb", "hashmap");
    private static final List<Double> PROBABILITIES = List.of(1e-4, 1e-5, 1e-6);
    private static final double NEW_KEYS_PER_DAY = 1e8;

    /** From far too few to far too many for a run. */
    private static final List<String> CAPACITIES = List.of("1000", "20000", "10000000");

    /**
     * Longer than a run and the longest step of a clock together, so that nothing is forgotten
     * although the time-to-live is there: a task that starts under a wrong clock believes it.
     */
    private static final List<String> LIFETIMES =
            List.of(
                    "",
                    ", state_ttl => INTERVAL '0' SECOND",
                    ", state_ttl => INTERVAL '12' HOUR",
                    ", state_ttl => INTERVAL '1' DAY");

    /** For a start without state, or from a savepoint in the canonical format. */
    static SqlOptions any(SplittableRandom choice) {
        return of(any(DELEGATES, choice), choice);
    }

    /** For a start from a checkpoint or a native savepoint that was taken with these options. */
    SqlOptions next(SplittableRandom choice) {
        return of(delegate, choice);
    }

    private static SqlOptions of(String delegate, SplittableRandom choice) {
        double probability = any(PROBABILITIES, choice);
        Map<String, String> backend = new LinkedHashMap<>();
        backend.put(PREFIX + "delegate", delegate);
        if (choice.nextBoolean()) {
            backend.put(
                    PREFIX + "false-positive-probability",
                    String.format(Locale.ROOT, "%.0e", probability));
        } else {
            backend.put(
                    PREFIX + "max-false-drops-per-day",
                    Double.toString(probability * NEW_KEYS_PER_DAY));
            backend.put(
                    PREFIX + "new-keys-per-day",
                    String.format(Locale.ROOT, "%.0f", NEW_KEYS_PER_DAY));
        }
        backend.put(PREFIX + "capacity", any(CAPACITIES, choice));
        backend.put(
                PREFIX + "overflow-policy",
                any(List.of("forget-oldest", "raise-probability"), choice));
        backend.put(PREFIX + "ttl-buckets", any(List.of("1", "8", "20"), choice));
        backend.put(PREFIX + "sample-one-in", any(List.of("0", "1", "64"), choice));
        backend.put(PREFIX + "buffer-size", any(List.of("1 mb", "32 mb"), choice));
        backend.put(PREFIX + "memory.fraction", any(List.of("0.3", "0.5", "0.7"), choice));
        backend.put(PREFIX + "overview-bits-per-key", any(List.of("0", "4", "8"), choice));
        backend.put(PREFIX + "summary-bits-per-key", any(List.of("0", "8"), choice));
        backend.put(PREFIX + "merge-policy", any(List.of("few-files", "doubling"), choice));
        backend.put("execution.checkpointing.incremental", any(List.of("true", "false"), choice));
        String arguments = any(LIFETIMES, choice);
        if (choice.nextBoolean()) {
            arguments += ", reset_ttl_on_duplicate => " + (choice.nextBoolean() ? "TRUE" : "FALSE");
        }
        return new SqlOptions(delegate, probability, backend, arguments);
    }

    private static <T> T any(List<T> values, SplittableRandom choice) {
        return values.get(choice.nextInt(values.size()));
    }

    /** The options of the backend as a script sets them. */
    String settings() {
        return backend.entrySet().stream()
                .map(option -> "SET '" + option.getKey() + "' = '" + option.getValue() + "';")
                .collect(Collectors.joining("\n"));
    }
}
