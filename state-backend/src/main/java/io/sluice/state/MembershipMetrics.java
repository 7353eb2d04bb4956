/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.MeasuredError;
import io.sluice.state.heap.HeapFirstStates;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of membership states, in the operator's group under {@code cascade} and the state's
 * name; and, under {@code cascade} alone, what checkpoints have uploaded, and what is on the heap.
 * Values are from the last checkpoint, or newer. docs/operations.md explains each.
 */
final class MembershipMetrics {

    private static final String GROUP = "cascade";

    private final MetricGroup group;
    private final AtomicLong checkpointBytesNew = new AtomicLong();
    private final AtomicLong checkpointBytesReused = new AtomicLong();
    private final Map<String, State> states = new HashMap<>();

    MembershipMetrics(MetricGroup operatorGroup) {
        this.group = operatorGroup;
    }

    /** Sets the bytes of the last checkpoint; callable from any thread. */
    void checkpointBytesNew(long bytes) {
        checkpointBytesNew.set(bytes);
    }

    /** Sets the bytes of the last checkpoint; callable from any thread. */
    void checkpointBytesReused(long bytes) {
        checkpointBytesReused.set(bytes);
    }

    /** From now on the metrics of the state are those of this store. */
    void register(MembershipStore store) {
        State known = states.get(store.name());
        if (known != null) {
            // A group keeps the first metric of a name.
            known.store = store;
            return;
        }
        MetricGroup cascade = group.addGroup(GROUP);
        if (states.isEmpty()) {
            cascade.<Long, Gauge<Long>>gauge("checkpointBytesNew", checkpointBytesNew::get);
            cascade.<Long, Gauge<Long>>gauge("checkpointBytesReused", checkpointBytesReused::get);
        }
        State state = new State(cascade.addGroup("state", store.name()), store);
        states.put(store.name(), state);
        state.number("lookups", n -> n.lookups());
        state.number("seen", n -> n.seen());
        state.real("configuredFpp", n -> state.store.info().falsePositiveProbability());
        state.real("falsePositiveBound", n -> n.filter().falsePositiveBound());
        state.number("forgotten", n -> n.filter().forgottenEntries());
        state.real("estimatedFpp", n -> n.filter().estimatedFpp());
        state.real("measuredFpp", n -> n.error().rate());
        state.real("measuredFppLower", n -> n.error().lower(MeasuredError.Z_95));
        state.real("measuredFppUpper", n -> n.error().upper(MeasuredError.Z_95));
        state.number("watchedFirsts", n -> n.error().firsts());
        state.number("watchedDropped", n -> n.error().dropped());
        state.number("watchedOneIn", n -> n.watchedOneIn());
        state.number("entries", n -> n.filter().entries());
        state.number("bufferedEntries", n -> n.filter().bufferedEntries());
        state.number("tombstones", n -> n.filter().tombstones());
        state.number("files", n -> n.filter().files());
        state.number("diskBytes", n -> n.filter().diskBytes());
        state.number("memoryBytes", n -> n.filter().memoryBytes());
        state.number("pageHits", n -> n.filter().pageHits());
        state.number("pageReads", n -> n.filter().pageReads());
        state.number("flushedBytes", n -> n.filter().flushedBytes());
        state.number("merges", n -> n.filter().merges());
        state.number("mergesRunning", n -> n.filter().mergesRunning());
        state.number("mergedBytes", n -> n.filter().mergedBytes());
        state.number("mergeMillis", n -> millis(n.filter().mergeNanos()));
        state.real("writeAmplification", n -> n.filter().writeAmplification());
        state.number("expiredFiles", n -> n.filter().expiredFiles());
        state.number("stalls", n -> n.filter().stalls());
        state.number("stallMillis", n -> millis(n.filter().stallNanos()));
        state.number("longestStallMillis", n -> millis(n.filter().longestStallNanos()));
    }

    /** Shows what is on the heap. */
    void registerHeap(Supplier<HeapFirstStates.Numbers> numbers) {
        MetricGroup cascade = group.addGroup(GROUP);
        cascade.<Long, Gauge<Long>>gauge("heapEntries", () -> numbers.get().entries());
        cascade.<Long, Gauge<Long>>gauge("heapOverflow", () -> numbers.get().overflow());
        cascade.<Long, Gauge<Long>>gauge("heapBytes", () -> numbers.get().bytes());
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static final class State {
        private final MetricGroup group;

        /** Replaced by the task's thread, read by any. */
        private volatile MembershipStore store;

        State(MetricGroup group, MembershipStore store) {
            this.group = group;
            this.store = store;
        }

        void number(String name, ToLongFunction<MembershipStore.Numbers> value) {
            group.<Long, Gauge<Long>>gauge(name, () -> value.applyAsLong(store.published()));
        }

        void real(String name, ToDoubleFunction<MembershipStore.Numbers> value) {
            group.<Double, Gauge<Double>>gauge(name, () -> value.applyAsDouble(store.published()));
        }
    }
}
