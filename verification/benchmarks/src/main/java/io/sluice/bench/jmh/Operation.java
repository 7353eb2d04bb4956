/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** What is timed of a structure. */
public enum Operation {
    INSERT("insert", "all keys into an empty structure", 0, 0),
    INSERT_LAST("insertLast", "the last tenth of the keys", 0.9, 0),
    PRESENT("present", "lookups of keys that are there, when full", 1, 100),
    ABSENT("absent", "lookups of keys that are not there, when full", 1, 0),
    ADD_IF_ABSENT(
            "addIfAbsent", "from half full to full, half of the keys are there already", 0.5, 50),
    REMOVE("remove", "a tenth of the keys, when full", 1, 100);

    /** Operations that warm up the process of a measurement. */
    private static final long WARM_UP = 4_000_000;

    private static final long MAX_WARM_UPS = 20;

    private final String word;
    private final String meaning;
    private final double from;
    private final int hits;

    Operation(String word, String meaning, double from, int hits) {
        this.word = word;
        this.meaning = meaning;
        this.from = from;
        this.hits = hits;
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
        ChainedOptionsBuilder options = new OptionsBuilder();
        if (this == PRESENT || this == ABSENT) {
            return options.include(LookupBenchmark.class.getName() + ".contains")
                    .param("hits", Integer.toString(hits))
                    .warmupTime(TimeValue.milliseconds(200))
                    .warmupIterations(2)
                    .measurementTime(TimeValue.milliseconds(300));
        }
        long operations =
                switch (this) {
                    case REMOVE -> RemovalBenchmark.removals(keys);
                    case ADD_IF_ABSENT -> FillBenchmark.additions(keys, from);
                    default -> FillBenchmark.insertions(keys, from);
                };
        String benchmark =
                switch (this) {
                    case REMOVE -> RemovalBenchmark.class.getName() + ".remove";
                    case ADD_IF_ABSENT -> FillBenchmark.class.getName() + ".addIfAbsent";
                    default -> FillBenchmark.class.getName() + ".insert";
                };
        if (this != REMOVE) {
            options.param("from", Double.toString(from));
        }
        return options.include(benchmark)
                .operationsPerInvocation(Math.toIntExact(operations))
                .warmupIterations((int) Math.max(1, Math.min(MAX_WARM_UPS, WARM_UP / operations)));
    }
}
