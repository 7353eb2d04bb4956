/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.util.Arrays;

/** One pass over Flink's tests; the system property {@code sluice.suite.run} names it. */
public enum SuiteRun {
    /** Flink's own backends, for comparison. */
    STOCK("stock", ""),

    /** Ours over RocksDB, whichever backend a test asks for. */
    OVER_ROCKSDB("cascade-over-rocksdb", "rocksdb"),

    /** Ours over hashmap, whichever backend a test asks for. */
    OVER_HASHMAP("cascade-over-hashmap", "hashmap");

    public static final String PROPERTY = "sluice.suite.run";

    private final String label;
    private final String delegate;

    SuiteRun(String label, String delegate) {
        this.label = label;
        this.delegate = delegate;
    }

    /** The run that this JVM belongs to. */
    static SuiteRun current() {
        return named(System.getProperty(PROPERTY, STOCK.label));
    }

    static SuiteRun named(String label) {
        return Arrays.stream(values())
                .filter(run -> run.label.equals(label))
                .findAny()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        PROPERTY + " is '" + label + "', which is not a run."));
    }

    String label() {
        return label;
    }

    String delegate() {
        return delegate;
    }
}
