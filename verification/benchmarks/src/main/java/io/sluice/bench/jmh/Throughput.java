/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.jmh;

import io.sluice.bench.peer.Peer;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Rates;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Throughput of structures, by JMH: each operation of each structure in its own process, in rounds
 * that take turns, so that a slow minute hits all.
 */
public final class Throughput {
    private final BenchReport report;
    private final int forks;
    private final Rates<String> mops = new Rates<>();
    private final Map<String, Double> fpp = new HashMap<>();
    private final Map<String, Double> bitsPerKey = new HashMap<>();

    /**
     * Nothing is measured yet.
     *
     * @param forks processes for each measurement; 0 measures in this process, which is quick and
     *     worth nothing but to try that it runs
     */
    public Throughput(BenchReport report, int forks) {
        this.report = report;
        this.forks = forks;
    }

    /** Measures the operations that a structure of the given size can do, {@code rounds} times. */
    public void measure(Map<Peer, Peer.Size> peers, Set<TimedOperation> operations, int rounds)
            throws IOException {
        for (int round = 1; round <= rounds; round++) {
            for (Map.Entry<Peer, Peer.Size> entry : peers.entrySet()) {
                report.progress("    round %d of %d: %s", round, rounds, entry.getKey().name());
                for (TimedOperation operation : operations) {
                    if (operation != TimedOperation.REMOVE || entry.getKey().removes()) {
                        measure(entry.getKey(), entry.getValue(), operation);
                    }
                }
            }
        }
    }

    private void measure(Peer peer, Peer.Size size, TimedOperation operation) throws IOException {
        RunResult result;
        try {
            result =
                    new Runner(
                                    operation
                                            .options(size.keys())
                                            .param("kind", peer.id())
                                            .param("slots", Integer.toString(size.slots()))
                                            .param("load", Double.toString(Peer.LOAD))
                                            .param("fpp", Double.toString(size.fpp()))
                                            .forks(forks)
                                            .measurementIterations(2)
                                            .shouldFailOnError(true)
                                            .verbosity(VerboseMode.SILENT)
                                            .build())
                            .runSingle();
        } catch (RunnerException e) {
            throw new IOException(
                    "JMH did not measure " + operation.word() + " of " + peer.name(), e);
        }
        mops.add(name(peer.id(), operation), 1e3 / result.getPrimaryResult().getScore());
        if (operation == TimedOperation.ABSENT) {
            fpp.put(peer.id(), secondary(result, "fppPerMillion") / 1e6);
            bitsPerKey.put(peer.id(), secondary(result, "bitsPerKey"));
        }
    }

    private static double secondary(RunResult result, String name) {
        return result.getSecondaryResults().get(name).getScore();
    }

    private static String name(String id, TimedOperation operation) {
        return id + "/" + operation.word();
    }

    public boolean has(String id, TimedOperation operation) {
        return mops.has(name(id, operation));
    }

    /** Millions of operations a second of a structure, by id. */
    public Spread mops(String id, TimedOperation operation) {
        return mops.of(name(id, operation));
    }

    /** Throughput over that of another structure. */
    public Spread ratio(String id, String peer, TimedOperation operation) {
        return mops.ratio(name(id, operation), name(peer, operation));
    }

    /** Measured when full. */
    public double fpp(String id) {
        return fpp.get(id);
    }

    /** Measured when full. */
    public double bitsPerKey(String id) {
        return bitsPerKey.get(id);
    }
}
