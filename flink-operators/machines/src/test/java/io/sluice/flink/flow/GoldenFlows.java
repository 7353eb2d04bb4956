/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.filter.memory.Storage;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationFactory;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import org.apache.flink.configuration.Configuration;

/**
 * Wrote the golden stores of flows, once: a released format is never written again, so existing
 * files are left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFlows {

    static final int FLOWS = 60;
    static final GenerationFactory FACTORY =
            new KeyValueGenerations(96, 7, Storage.HEAP, IdleClass.frequencies());

    static final StoreSettings.Stores FINGERPRINTS =
            FlowSettings.of(
                            new Configuration()
                                    .set(FlowOptions.STORE, StoreKind.FINGERPRINTS)
                                    .set(FlowOptions.EXPECTING, 50L))
                    .stores()
                    .stores(1, StoreMemory.unlimited());

    private GoldenFlows() {}

    /** Returns what a golden file holds. */
    static byte[] bytes(String name) throws IOException {
        try (InputStream in =
                GoldenFlows.class.getResourceAsStream("/golden/flows/" + name + ".bin")) {
            return in.readAllBytes();
        }
    }

    /** Reads counts and store, of the kind that a file has in its name, and nothing behind them. */
    static FlowTracker read(String name, InputStream in, String source) throws IOException {
        FlowCounts counts = FlowCounts.readFrom(in, source);
        StateStore store =
                switch (name) {
                    case "v2-exact" ->
                            ExactStore.readFrom(
                                    in,
                                    source,
                                    FlowTimeouts.DEFAULT.states(),
                                    StoreMemory.unlimited());
                    case "v1-fingerprints" -> FINGERPRINTS.read(in, source);
                    default ->
                            GenerationalStore.readFrom(
                                    in,
                                    source,
                                    FACTORY,
                                    FlowTimeouts.DEFAULT.states(),
                                    StoreMemory.unlimited(),
                                    16);
                };
        return tracker(store, counts);
    }

    private static FlowTracker tracker(StateStore store, FlowCounts counts) {
        return new FlowTracker(
                new ConnectionMachine(true), store, counts, FlowTracker.TimedOut.IGNORE);
    }

    static StateStore exact() {
        return new ExactStore(FlowTimeouts.DEFAULT.states(), StoreMemory.unlimited());
    }

    static StateStore generations() {
        return new GenerationalStore(
                FACTORY, FlowTimeouts.DEFAULT.states(), StoreMemory.unlimited(), 16);
    }

    /** Brings a tracker into the state in which it was written. */
    static FlowTracker fill(StateStore store) {
        FlowTracker tracker = tracker(store, new FlowCounts());
        for (Traffic.Segment each : Traffic.of(new SplittableRandom(7), FLOWS, 60_000)) {
            tracker.advance(each.millis());
            tracker.follow(each.flow(), each.fromLower(), each.flags(), each.millis());
        }
        return tracker;
    }

    /** Returns an empty store of the kind that a file has in its name. */
    static StateStore store(String name) {
        return switch (name) {
            case "v2-exact" -> exact();
            case "v1-fingerprints" -> FINGERPRINTS.create();
            default -> generations();
        };
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        write(exact(), folder.resolve("v2-exact.bin"));
        write(FINGERPRINTS.create(), folder.resolve("v1-fingerprints.bin"));
        write(generations(), folder.resolve("v1-kbf.bin"));
    }

    private static void write(StateStore store, Path file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        fill(store).writeTo(bytes);
        Files.write(file, bytes.toByteArray(), StandardOpenOption.CREATE_NEW);
    }
}
