/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

import io.sluice.bench.jmh.Throughput;
import io.sluice.bench.jmh.TimedOperation;
import io.sluice.bench.peer.Peer;
import io.sluice.bench.peer.Peers;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench filters}: all structures in one run, beside published ones. */
@Command(
        name = "filters",
        mixinStandardHelpOptions = true,
        description = {
            "All filters beside published ones and an exact set, one thread: insertion, lookups,"
                    + " add-if-absent, removal, measured error, bits per key."
        })
public final class FiltersCommand extends BenchCommand {
    /** Smaller cuckoo filters may be full before they reach the load. */
    private static final int MIN_SLOTS = 1 << 12;

    private static final int QUICK_SLOTS = 1 << 21;
    private static final int SMALL_SLOTS = 1 << 24;
    private static final int LARGE_SLOTS = 1 << 26;

    /**
     * The counting Bloom filter with counters of 32 bits takes 2.8 GiB with {@link #LARGE_SLOTS}.
     */
    private static final long HEAP_FOR_LARGE = 5L << 30;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = {
                "Slots of structures that have them, a power of two from 4096 to 2^26; all get 0.95"
                    + " times as many keys (default: 2^26 if the heap has 5 GB, else 2^24; quick"
                    + " 2^21)."
            })
    private Integer slots;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often every structure is measured (default: 3).",
            defaultValue = "3")
    private int rounds;

    @Option(
            names = "--only",
            paramLabel = "ID",
            split = ",",
            description = "The structures to run, by their ids in filters.csv (default: all).")
    private Set<String> only = Set.of();

    @Option(
            names = "--forks",
            hidden = true,
            description = "Processes for each measurement; 0 only tries that it runs.",
            defaultValue = "1")
    private int forks;

    @Override
    protected void measure(BenchReport report) throws IOException {
        int size =
                slots == null
                        ? defaultSlots(report.quick(), Runtime.getRuntime().maxMemory())
                        : slots;
        if (size < MIN_SLOTS || size > LARGE_SLOTS || Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException(
                    "--slots must be a power of two from "
                            + MIN_SLOTS
                            + " to "
                            + LARGE_SLOTS
                            + ", got "
                            + size);
        }
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds must be at least 1, got " + rounds);
        }
        List<Peer> peers = new ArrayList<>(List.of(Peers.ONE_LINE));
        peers.addAll(Peers.named(only));
        Peer.Size kind = new Peer.Size(size, Peers.FPP);
        report.progress(
                "filters, one thread, %,d keys (%,d slots at load %s), %d rounds",
                kind.keys(), size, Peer.LOAD, rounds);
        Map<Peer, Peer.Size> sizes = new LinkedHashMap<>();
        peers.forEach(peer -> sizes.put(peer, kind));
        Throughput measured = new Throughput(report, forks);
        measured.measure(sizes, EnumSet.allOf(TimedOperation.class), rounds);
        new FiltersReport(report, measured, peers, kind.keys()).write();
    }

    static int defaultSlots(boolean quick, long heapBytes) {
        if (quick) {
            return QUICK_SLOTS;
        }
        return heapBytes >= HEAP_FOR_LARGE ? LARGE_SLOTS : SMALL_SLOTS;
    }
}
