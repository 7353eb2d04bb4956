/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the test and its job's functions share in one process, found by a name that travels with the
 * functions.
 */
final class Run {
    private static final Map<String, Run> RUNS = new ConcurrentHashMap<>();

    private final String name = UUID.randomUUID().toString();
    private final Gate gate = new Gate();
    private final Map<String, List<?>> pages = new ConcurrentHashMap<>();
    private final AtomicInteger failAfter = new AtomicInteger(Integer.MAX_VALUE);
    private final AtomicInteger failures = new AtomicInteger();

    private Run() {}

    static Run start() {
        Run run = new Run();
        RUNS.put(run.name, run);
        return run;
    }

    static Run of(String name) {
        Run run = RUNS.get(name);
        if (run == null) {
            throw new IllegalStateException("run " + name + " has ended");
        }
        return run;
    }

    void end() {
        RUNS.remove(name);
    }

    String name() {
        return name;
    }

    Gate gate() {
        return gate;
    }

    /** A ledger reports what it writes to a checkpoint. */
    void page(String ledger, List<?> entries) {
        pages.put(ledger, entries);
    }

    /** What a ledger wrote to the last checkpoint. */
    List<?> lastPage(String ledger) {
        return pages.get(ledger);
    }

    /** Makes a ledger fail, once, when {@code entries} more have come. */
    void failAfter(int entries) {
        failAfter.set(entries);
    }

    /** A ledger counts an entry; throws if this is the one to fail at. */
    void countEntry() {
        if (failAfter.get() != Integer.MAX_VALUE && failAfter.decrementAndGet() == 0) {
            failAfter.set(Integer.MAX_VALUE);
            failures.incrementAndGet();
            throw new IllegalStateException("induced failure");
        }
    }

    /** Number of induced failures so far. */
    int failures() {
        return failures.get();
    }
}
