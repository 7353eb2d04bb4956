/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.record.PacketRecord;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Passes on what is kept of packets, in one reused instance as {@link SplitIncoming} does.
 *
 * @param <T> type of what is kept of a packet
 */
public final class Reduce<T> extends ProcessFunction<PacketRecord, T> {
    private final Reduction<T> reduction;

    private transient T reduced;

    public Reduce(Reduction<T> reduction) {
        this.reduction = reduction;
    }

    @Override
    public void open(OpenContext context) {
        reduced = reduction.newResult();
    }

    @Override
    public void processElement(PacketRecord packet, Context context, Collector<T> out) {
        reduction.reduce(packet, reduced);
        out.collect(reduced);
    }
}
