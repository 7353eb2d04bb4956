/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/** Watermarks by event time, one a second of it: however fast a job is, its windows end. */
public final class EverySecond implements WatermarkGenerator<Long> {
    private long next;

    @Override
    public void onEvent(Long number, long timestamp, WatermarkOutput output) {
        if (timestamp >= next) {
            output.emitWatermark(new Watermark(timestamp - 1));
            next = timestamp + 1000;
        }
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
}
