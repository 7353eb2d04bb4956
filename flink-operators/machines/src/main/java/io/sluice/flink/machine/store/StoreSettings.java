/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.MemorySize;

/**
 * How machines are remembered. Everything except the kind of store may change between a savepoint
 * and its restore: machines that are held stay held, in the structures that they were stored in.
 *
 * @param times of the states
 * @param frequencies for each class, roughly how often each of its states occurs; each sums to 1
 * @param expected machines of the whole stream at one time, at least 1: sizes the first generations
 * @param kind of the store; null for the one that takes the least memory for the error
 * @param bits of a full table of the key-value filter for each machine; not used by other stores
 * @param error share of events that a store may answer with a wrong state, or not at all; not used
 *     by the exact store, nor where bits were given
 * @param spreadMillis how far ahead of the watermark a time is believed
 * @param memory for all stores of one subtask; a restore and the smallest stores of many key groups
 *     may exceed it, which causes a warning
 * @param whenFull what gives when the memory is used up
 * @param keptBytes the part of the memory that the operator keeps for something else
 */
@Internal
public record StoreSettings(
        Nouns nouns,
        @Nullable StoreKind kind,
        StateTimes times,
        List<double[]> frequencies,
        long expected,
        double bits,
        double error,
        long spreadMillis,
        MemorySize memory,
        WhenFull whenFull,
        long keptBytes)
        implements Serializable {

    private static final long MIN_MACHINES_OF_GENERATION = 32;

    /** The exact sample beside approximate stores has this part of the memory. */
    private static final long PART_OF_SAMPLE = 32;

    private static final long LEAST_SAMPLE_BYTES = 1 << 16;

    public StoreSettings {
        requireNonNull(nouns, "nouns");
        requireNonNull(times, "times");
        frequencies = new ArrayList<>(frequencies);
        requireNonNull(memory, "memory");
        requireNonNull(whenFull, "whenFull");
    }

    /** Returns the same settings with a kind of store, chosen if none is given. */
    public StoreSettings chosen(int keyGroups) {
        return kind != null ? this : with(StoreChoice.of(this, keyGroups).kind());
    }

    /** Returns the same settings with a kind of store. */
    StoreSettings with(StoreKind other) {
        return new StoreSettings(
                nouns,
                other,
                times,
                frequencies,
                expected,
                bits,
                error,
                spreadMillis,
                memory,
                whenFull,
                keptBytes);
    }

    /**
     * Returns the part of the memory that the exact sample may take, which an exact store lacks.
     */
    public long sampleBytes() {
        return kind == StoreKind.EXACT
                ? 0
                : Math.max(LEAST_SAMPLE_BYTES, memory.getBytes() / PART_OF_SAMPLE);
    }

    /** Returns the part of the memory that the stores may take. */
    public long storeBytes() {
        return memory.getBytes() - sampleBytes() - keptBytes;
    }

    /** Returns the same settings where the operator keeps a part of the memory for itself. */
    public StoreSettings keeping(long bytes) {
        return new StoreSettings(
                nouns,
                kind,
                times,
                frequencies,
                expected,
                bits,
                error,
                spreadMillis,
                memory,
                whenFull,
                bytes);
    }

    /** Makes and reads the stores of one subtask, whose kind is given. */
    public Stores stores(int keyGroups, StoreMemory shared) {
        return new Stores(
                this,
                shared,
                kind == StoreKind.KBF ? generations() : null,
                Math.max(MIN_MACHINES_OF_GENERATION, expected / keyGroups / 2),
                fingerprints(keyGroups));
    }

    /** Returns the filters of the key-value store. */
    KeyValueGenerations generations() {
        return new KeyValueGenerations(bits, 0, Storage.HEAP, frequencies);
    }

    /** Returns the plan of the fingerprints of a key group. */
    FingerprintPlan fingerprints(int keyGroups) {
        StateAges ages = StateAges.of(times, spreadMillis);
        return FingerprintPlan.of((double) expected / keyGroups, error, ages);
    }

    /**
     * Stores that share their memory.
     *
     * @param factory of the key-value filter; null for other kinds
     */
    public record Stores(
            StoreSettings settings,
            StoreMemory memory,
            @Nullable GenerationFactory factory,
            long leastMachines,
            FingerprintPlan fingerprints) {

        /** Returns a new, empty store. */
        public StateStore create() {
            return switch (settings.kind) {
                case EXACT -> new ExactStore(settings.times, memory);
                case FINGERPRINTS -> new FingerprintStore(fingerprints, settings.times, memory);
                case KBF -> new GenerationalStore(factory, settings.times, memory, leastMachines);
            };
        }

        /** Reads a store that was written with the same states. */
        public StateStore read(InputStream in, String source) throws IOException {
            return read(in, source, IntStream.range(0, settings.times.states()).toArray());
        }

        /**
         * Reads a store that was written with other states.
         *
         * @param states the present number of each former state; negative to drop its machines.
         *     Filters cannot change the numbers of their states, so for them it is that of the same
         *     states.
         */
        public StateStore read(InputStream in, String source, int[] states) throws IOException {
            return switch (settings.kind) {
                case EXACT -> ExactStore.readFrom(in, source, settings.times, memory, states);
                case FINGERPRINTS ->
                        FingerprintStore.readFrom(
                                in, source, fingerprints, settings.times, memory, states);
                case KBF ->
                        GenerationalStore.readFrom(
                                in, source, factory, settings.times, memory, leastMachines);
            };
        }
    }
}
