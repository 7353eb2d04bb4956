/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** What is timed of a structure. */
public enum TimedOperation {
    INSERT("insert", "all keys into an empty structure", "insert", 0),
    INSERT_LAST("insertLast", "the last tenth of the keys", "insert", 0.9),
    PRESENT("present", "lookups of keys that are there, when full", "contains", 1),
    ABSENT("absent", "lookups of keys that are not there, when full", "contains", 1),
    ADD_IF_ABSENT(
            "addIfAbsent",
            "from half full to full, half of the keys are there already",
            "addIfAbsent",
            0.5),
    REMOVE("remove", "a tenth of the keys, when full", "remove", 1);

    /** Operations that warm up the process of a measurement. */
    private static final long WARM_UP = 4_000_000;

    private static final long MAX_WARM_UPS = 20;

    private final String word;
    private final String meaning;
    private final String benchmark;
    private final double from;

    TimedOperation(String word, String meaning, String benchmark, double from) {
        this.word = word;
        this.meaning = meaning;
        this.benchmark = benchmark;
        this.from = from;
    }

    /** The name in figures and columns. */
    public String word() {
        return word;
    }

    public String meaning() {
        return meaning;
    }

    /** The benchmark that times it, for a structure that holds {@code keys} when full. */
    ChainedOptionsBuilder options(long keys) {
        if (this == PRESENT || this == ABSENT) {
            return new OptionsBuilder()
                    .include(LookupBenchmark.class.getName() + "." + benchmark)
                    .param("hits", this == PRESENT ? "100" : "0")
                    .warmupTime(TimeValue.milliseconds(200))
                    .warmupIterations(2)
                    .measurementTime(TimeValue.milliseconds(300));
        }
        long count =
                switch (this) {
                    case REMOVE -> ChangeBenchmark.removals(keys, from);
                    case ADD_IF_ABSENT -> ChangeBenchmark.additions(keys, from);
                    default -> ChangeBenchmark.insertions(keys, from);
                };
        return new OptionsBuilder()
                .include(ChangeBenchmark.class.getName() + "." + benchmark)
                .param("from", Double.toString(from))
                .operationsPerInvocation(Math.toIntExact(count))
                .warmupIterations((int) Math.max(1, Math.min(MAX_WARM_UPS, WARM_UP / count)));
    }
}
