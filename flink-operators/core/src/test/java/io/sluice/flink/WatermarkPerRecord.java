/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkOutput;

/** A watermark of each record's own timestamp behind it: as tight as ordered records allow. */
public final class WatermarkPerRecord implements WatermarkGenerator<Long> {
    @Override
    public void onEvent(Long event, long timestamp, WatermarkOutput output) {
        output.emitWatermark(new Watermark(timestamp));
    }

    @Override
    public void onPeriodicEmit(WatermarkOutput output) {}
}
