/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.filter.memory.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * Wrote the golden stores of flows, once: a released format is never written again, so existing
 * files are left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFlows {

    static final int FLOWS = 60;
    static final GenerationFactory FACTORY = new KeyValueGenerations(96, 7, Storage.HEAP);

    private GoldenFlows() {}

    static FlowTracker tracker(FlowStore store) {
        return new FlowTracker(
                new ConnectionMachine(true), store, new FlowCounts(), FlowTracker.TimedOut.IGNORE);
    }

    static FlowStore exact() {
        return new ExactFlowStore(FlowTimeouts.DEFAULT, FlowMemory.unlimited());
    }

    static FlowStore generations() {
        return new GenerationalFlowStore(FACTORY, FlowTimeouts.DEFAULT, FlowMemory.unlimited(), 16);
    }

    /** Brings a tracker into the state in which it was written. */
    static FlowTracker fill(FlowStore store) {
        FlowTracker tracker = tracker(store);
        for (Traffic.Segment each : Traffic.of(new SplittableRandom(7), FLOWS, 60_000)) {
            tracker.advance(each.millis());
            tracker.follow(each.flow(), each.fromLower(), each.flags(), each.millis());
        }
        return tracker;
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        write(exact(), folder.resolve("v2-exact.bin"));
        write(generations(), folder.resolve("v1-kbf.bin"));
    }

    private static void write(FlowStore store, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        fill(store).writeTo(bytes);
        Files.write(file, bytes.toByteArray(), StandardOpenOption.CREATE_NEW);
    }
}
