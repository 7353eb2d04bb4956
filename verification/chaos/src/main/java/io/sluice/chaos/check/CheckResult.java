/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a check found: numbers, and for each broken rule a sentence with its first cases. Not
 * thread-safe.
 */
public final class CheckResult {
    /** With this probability a sound run exceeds a bound. */
    static final double UNLIKELY = 1e-9;

    private static final int CASES = 5;

    private final Map<String, Object> numbers = new LinkedHashMap<>();
    private final Map<String, List<String>> violations = new LinkedHashMap<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();

    /** Notes a number. */
    public void number(String name, Object value) {
        numbers.put(name, value);
    }

    /** Notes that {@code rule} is broken by {@code instance}. */
    public void broken(String rule, String instance) {
        counts.merge(rule, 1L, Long::sum);
        List<String> cases = violations.computeIfAbsent(rule, r -> new ArrayList<>());
        if (cases.size() < CASES) {
            cases.add(instance);
        }
    }

    /** Whether every rule holds. */
    public boolean isOk() {
        return violations.isEmpty();
    }

    /** The numbers by name. */
    public Map<String, Object> numbers() {
        return numbers;
    }

    /** For each broken rule, how often and the first cases. */
    public List<String> violations() {
        return violations.entrySet().stream()
                .map(
                        entry ->
                                entry.getKey()
                                        + ": "
                                        + counts.get(entry.getKey())
                                        + ", such as "
                                        + String.join("; ", entry.getValue()))
                .toList();
    }
}
