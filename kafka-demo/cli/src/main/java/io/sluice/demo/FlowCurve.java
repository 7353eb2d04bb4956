/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import io.sluice.capture.CaptureReader;
import io.sluice.capture.Packet;
import io.sluice.filter.memory.Storage;
import io.sluice.flink.flow.ConnectionMachine;
import io.sluice.flink.flow.FlowCounts;
import io.sluice.flink.flow.FlowStates;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.FlowTracker;
import io.sluice.flink.flow.IdleClass;
import io.sluice.flink.machine.store.ExactStore;
import io.sluice.flink.machine.store.GenerationalStore;
import io.sluice.flink.machine.store.KeyValueGenerations;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.record.FlowKind;
import io.sluice.record.PacketRecord;
import io.sluice.report.DemoReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How many flows of a capture are open at each time, and how much memory both stores take for them.
 * Measured here rather than in the job, which goes through a capture faster than metrics are read.
 */
final class FlowCurve {
    private static final int POINTS = 120;

    /**
     * Generations are first made for this small part of all flows. They grow by tables of their
     * first size, up to 64, so the part is never too small, and rarely too large.
     */
    private static final int PARTS = 8;

    private static final int MIN_FLOWS = 32;

    private final CaptureSurvey survey;
    private final FlowTracker exact;
    private final FlowTracker filter;
    private final List<Double> seconds = new ArrayList<>();
    private final List<Long> open = new ArrayList<>();
    private final List<Long> held = new ArrayList<>();
    private final List<Double> exactBits = new ArrayList<>();
    private final List<Double> filterBits = new ArrayList<>();

    private FlowCurve(CaptureSurvey survey, FlowTimeouts timeouts, double bitsPerFlow, long flows) {
        this.survey = survey;
        exact = tracker(new ExactStore(timeouts.states(), StoreMemory.unlimited()));
        filter =
                tracker(
                        new GenerationalStore(
                                new KeyValueGenerations(
                                        bitsPerFlow, 0, Storage.HEAP, IdleClass.frequencies()),
                                timeouts.states(),
                                StoreMemory.unlimited(),
                                Math.max(MIN_FLOWS, flows / PARTS)));
    }

    private static FlowTracker tracker(StateStore store) {
        return new FlowTracker(
                new ConnectionMachine(true), store, new FlowCounts(), FlowTracker.TimedOut.IGNORE);
    }

    /**
     * Reads {@code capture} as far as possible.
     *
     * @param flows roughly how many it has
     */
    static DemoReport.FlowSeries of(
            Path capture,
            CaptureSurvey survey,
            FlowTimeouts timeouts,
            double bitsPerFlow,
            long flows)
            throws IOException {
        FlowCurve curve = new FlowCurve(survey, timeouts, bitsPerFlow, flows);
        try (CaptureReader reader = CaptureReader.open(capture)) {
            curve.follow(reader);
        }
        return new DemoReport.FlowSeries(
                curve.seconds, curve.open, curve.held, curve.exactBits, curve.filterBits);
    }

    private void follow(CaptureReader reader) throws IOException {
        Packet packet = reader.packet();
        PacketRecord record = new PacketRecord();
        int points = 0;
        while (reader.next()) {
            if (!packet.isIp()) {
                continue;
            }
            long millis = record.set(0, packet).timestampMillis();
            while (points < POINTS && millis > timeOf(points + 1)) {
                note(timeOf(++points));
            }
            if (FlowKind.isSegment(record)) {
                long flow = FlowKind.CONNECTION.flowOf(record);
                boolean fromLower = FlowKind.CONNECTION.isFromLower(record);
                exact.follow(flow, fromLower, record.tcpFlags(), millis);
                filter.follow(flow, fromLower, record.tcpFlags(), millis);
            }
        }
        note(survey.lastMillis());
    }

    private long timeOf(int point) {
        long span = survey.lastMillis() - survey.firstMillis();
        return survey.firstMillis() + span * point / POINTS;
    }

    private void note(long millis) {
        exact.advance(millis - survey.disorderMillis());
        filter.advance(millis - survey.disorderMillis());
        StateStore flows = exact.store();
        long opened = 0;
        for (int state = 0; state < FlowStates.COUNT; state++) {
            opened += FlowStates.isClosed(state) ? 0 : flows.machines(state);
        }
        seconds.add((millis - survey.firstMillis()) / 1000.0);
        open.add(opened);
        held.add(flows.machines());
        exactBits.add(bits(flows));
        filterBits.add(bits(filter.store()));
    }

    /** 0 without flows. */
    private static double bits(StateStore store) {
        return store.machines() == 0 ? 0 : store.sizeInBytes() * 8.0 / store.machines();
    }
}
