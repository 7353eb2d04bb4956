/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.store.Nouns;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StorePressure;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.machine.store.StoreSizing;
import io.sluice.flink.runtime.EventTimeWatch;
import io.sluice.flink.runtime.KeyGroupedOperator;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.PinnedStructure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the machines of each key group with a structure of its own.
 *
 * <p>{@link Watermark#MAX_WATERMARK} says that the input has ended, not that time has passed: no
 * machine times out for it. Open machines are reported as such but still held, so that a job that
 * was drained into a savepoint continues from there.
 *
 * <p>Machines that a watermark times out are emitted before it. A machine can time out only when a
 * slice of some class ends, so watermarks in between cost nothing. In processing time a timer does
 * what watermarks do in event time.
 *
 * @param <T> type of the records
 * @param <OUT> type of the output
 * @param <S> type of the structure of a key group
 */
@Internal
public abstract class FollowingOperator<T, OUT, S extends FollowingOperator.Group>
        extends KeyGroupedOperator<T, OUT, S> implements BoundedOneInput {

    private static final Logger LOG = LoggerFactory.getLogger(FollowingOperator.class);

    private static final long METRICS_MILLIS = 1_000;

    private final StoreSettings given;
    private final FollowedTime time;
    private final OnLate<T> onLate;

    /** With the store that was chosen, if none was named. */
    private transient StoreSettings settings;

    private transient StoreMemory memory;
    private transient FollowingMetrics following;
    private transient StorePressure pressure;
    private transient EventTimeWatch watch;
    private transient Emission<OUT> emission;

    /** Measures the error of the stores; null if they are exact. */
    private transient @Nullable MachineShadow shadow;

    private transient boolean isRestored;
    private transient LongSupplier clock;
    private transient long watermark;
    private transient long latest;
    private transient long nextSweep;
    private transient boolean hasEnded;

    /** The machines of a key group. */
    public interface Group {

        /**
         * Drops machines that have timed out for every event from {@code watermark} on; those whose
         * last use is after {@code latest} are taken to have been used then.
         */
        void advance(long watermark, long latest);

        /** Returns what holds the machines. */
        StateStore store();
    }

    protected FollowingOperator(StoreSettings settings, FollowedTime time, OnLate<T> onLate) {
        this.given = requireNonNull(settings, "settings");
        this.time = requireNonNull(time, "time");
        this.onLate = requireNonNull(onLate, "onLate");
    }

    /** Returns the machine that is followed. */
    protected abstract MachineDefinition definition();

    /** Makes, writes and reads the structures; called before {@link #createMetrics}. */
    protected abstract KeyGroupedState.Handler<S> createHandler(StoreSettings.Stores stores);

    /** Makes the metrics, and whatever needs the emission; called once, at the opening. */
    protected abstract FollowingMetrics createMetrics(StoreMemory shared, Emission<OUT> out);

    /** Reads the counts of all key groups into the metrics, and returns the number of events. */
    protected abstract long refreshCounts();

    /** Returns whether a record is an event. */
    protected abstract boolean isEvent(T record) throws Exception;

    /** Follows an event. */
    protected abstract void follow(T record, long millis) throws Exception;

    /**
     * Watches an event that was followed, if its key belongs to the exact sample.
     *
     * @param id hash of the key
     * @param event its number in the {@link #definition}, or negative if that does not have it
     * @param answered the state in which the store had the machine before the event; negative if it
     *     could not tell
     */
    protected final void watch(long id, int event, long millis, int answered) {
        if (shadow != null && shadow.contains(id)) {
            shadow.follow(id, event, millis, answered);
        }
    }

    /** Reports machines that are open because the input has ended. */
    protected abstract void reportOpen();

    /** Returns the settings, with the store that was chosen. */
    protected final StoreSettings stores() {
        return settings;
    }

    @Override
    protected final Set<String> readableLayouts() {
        return Set.of(layout());
    }

    @Override
    protected final KeyGroupedState.Handler<S> createHandler() {
        TaskInfo task = getRuntimeContext().getTaskInfo();
        memory =
                new StoreMemory(
                        settings.storeBytes(),
                        settings.whenFull(),
                        StoreSizing.of(settings, task).keyGroups());
        return new Told(
                createHandler(settings.stores(task.getMaxNumberOfParallelSubtasks(), memory)));
    }

    /**
     * Tells a new structure how far event time is, which the others were told at the last sweep.
     */
    private final class Told implements KeyGroupedState.Handler<S> {
        private final KeyGroupedState.Handler<S> handler;

        Told(KeyGroupedState.Handler<S> handler) {
            this.handler = handler;
        }

        @Override
        public S create() {
            S group = handler.create();
            if (watermark != Long.MIN_VALUE) {
                group.advance(watermark + 1, latest);
            }
            return group;
        }

        @Override
        public void write(S group, OutputStream out) throws IOException {
            handler.write(group, out);
        }

        @Override
        public PinnedStructure pin(S group) throws IOException {
            return handler.pin(group);
        }

        @Override
        public S read(InputStream in, String source) throws IOException {
            return handler.read(in, source);
        }
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        int keyGroups = getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks();
        settings = given.chosen(keyGroups);
        isRestored = context.isRestored();
        super.initializeState(context);
        watermark = Long.MIN_VALUE;
        latest = Long.MAX_VALUE;
        nextSweep = Long.MIN_VALUE;
        hasEnded = false;
    }

    @Override
    public void open() throws Exception {
        super.open();
        emission = new Emission<>(output);
        following = createMetrics(memory, emission);
        shadow = null;
        if (settings.kind() != StoreKind.EXACT) {
            shadow = MachineShadow.beside(settings, definition(), isRestored);
            following.showError();
        }
        pressure = new StorePressure(describe(), settings, memory, LOG::warn);
        long now = getProcessingTimeService().getCurrentProcessingTime();
        watch = watch(now);
        TaskInfo task = getRuntimeContext().getTaskInfo();
        StoreSizing.logChoice(given, describe(), task.getMaxNumberOfParallelSubtasks());
        StoreSizing.of(settings, task)
                .start(describe(), getMetricGroup().addGroup(FollowingMetrics.GROUP));
        checkHeap(settings.memory());
        refreshMetrics(now);
        callEvery(METRICS_MILLIS, this::refreshMetrics);
        if (time.domain() == TimeDomain.PROCESSING) {
            clock = steadyWallClock(true);
            callEvery(settings.times().shortestSliceMillis(), unused -> sweep(clock.getAsLong()));
        }
    }

    private EventTimeWatch watch(long now) {
        Nouns nouns = settings.nouns();
        return new EventTimeWatch(
                describe(),
                settings.times().longestMillis(),
                "no "
                        + nouns.machine()
                        + " times out, and whenFull decides about "
                        + nouns.machines()
                        + " that do not fit into the option memory. Assign watermarks before the"
                        + " operator, or give a source or partition without records"
                        + " withIdleness(...).",
                nouns.events()
                        + " with right timestamps are late. Keep wild timestamps out of the"
                        + " watermarks, then start from a savepoint: the next watermark sets the"
                        + " clock.",
                LOG::warn,
                now);
    }

    private void refreshError() {
        if (shadow == null) {
            return;
        }
        double[] wrong = new double[1];
        long[] machines = new long[1];
        groups().forEach(
                        group -> {
                            StateStore store = group.store();
                            machines[0] += store.machines();
                            wrong[0] += store.predictedError() * store.machines();
                        });
        following.errorIs(machines[0] == 0 ? 0 : wrong[0] / machines[0], shadow);
    }

    private void refreshMetrics(long now) {
        long events = refreshCounts();
        refreshError();
        if (time.domain() == TimeDomain.EVENT) {
            watch.check(events, watermark, now);
            following.eventTimeIs(watch);
        }
        pressure.check(now);
    }

    @Override
    public final void processElement(StreamRecord<T> record) throws Exception {
        T value = record.getValue();
        if (!isEvent(value)) {
            following.countSkipped();
            return;
        }
        if (time.domain() == TimeDomain.PROCESSING) {
            follow(value, clock.getAsLong());
            return;
        }
        long millis = FollowedTime.of(record, this::describe);
        if (millis <= watermark && isDiverted(record)) {
            return;
        }
        if (millis > latest) {
            following.countFuture();
            millis = latest;
        }
        follow(value, millis);
    }

    /** Counts a late event; true if it is not followed. */
    private boolean isDiverted(StreamRecord<T> record) {
        following.countLate();
        if (onLate.sideOutput() != null) {
            output.collect(onLate.sideOutput(), record);
        }
        return !onLate.forwards();
    }

    @Override
    protected final void advance(Watermark mark) throws Exception {
        long timestamp = mark.getTimestamp();
        watch.onWatermark(timestamp, getProcessingTimeService().getCurrentProcessingTime());
        if (timestamp == Long.MAX_VALUE) {
            reportOpenOnce();
        } else {
            if (timestamp > watermark && time.domain() == TimeDomain.EVENT) {
                watermark = timestamp;
                latest = time.latest(watermark);
                sweep(watermark);
            }
            emission.forwarding(timestamp);
        }
        super.advance(mark);
    }

    private void sweep(long now) {
        if (now >= nextSweep) {
            // Events at the watermark itself are late.
            groups().forEach(group -> group.advance(now + 1, latest));
            if (shadow != null) {
                shadow.advance(now + 1, latest);
            }
            nextSweep = settings.times().nextSliceEnd(now);
        }
    }

    /** Before the last watermark, or without one. */
    private void reportOpenOnce() {
        if (!hasEnded) {
            hasEnded = true;
            reportOpen();
        }
    }

    @Override
    public final void endInput() {
        reportOpenOnce();
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        long unused = refreshCounts();
        refreshError();
    }
}
