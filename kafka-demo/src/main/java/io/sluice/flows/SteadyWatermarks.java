/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/**
 * Watermarks that depend only on the records: one after each that advances event time by a second.
 * Flink's own come by the wall clock, so that what happens to records out of order would differ
 * from run to run.
 */
final class SteadyWatermarks<T> implements WatermarkGenerator<T> {
    private static final long STEP_MILLIS = 1_000;

    private final long behindMillis;
    private long latest = Long.MIN_VALUE;
    private long next = Long.MIN_VALUE;

    /**
     * @param behindMillis how far records may lie behind the largest time, not negative
     */
    SteadyWatermarks(long behindMillis) {
        this.behindMillis = behindMillis;
    }

    @Override
    public void onEvent(T record, long millis, WatermarkOutput output) {
        latest = Math.max(latest, millis);
        if (latest >= next) {
            next = latest + STEP_MILLIS;
            // As Flink does: another record with the largest time may come.
            output.emitWatermark(new Watermark(latest - behindMillis - 1));
        }
    }

    /** By the wall clock, which does not count here. */
    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
}
