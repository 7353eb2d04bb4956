/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.runtime.ImmutableSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Window (8 bytes), group (4), code of the outcome (1), then the numbers in the order of the
 * constructor, rounds in 4 bytes and the others in 8; big-endian.
 */
final class WindowReportSerializer extends ImmutableSerializer<WindowReport> {

    static final WindowReportSerializer INSTANCE = new WindowReportSerializer();

    private static final int BYTES = 17 * Long.BYTES + 2 * Integer.BYTES + 1;

    private static final Outcome[] OUTCOMES = Outcome.values();

    private WindowReportSerializer() {
        super(BYTES);
    }

    @Override
    public WindowReport createInstance() {
        return new WindowReport(
                0, 0, Outcome.AGREED, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public void serialize(WindowReport report, DataOutputView target) throws IOException {
        target.writeLong(report.window());
        target.writeInt(report.group());
        target.writeByte(report.outcome().code());
        target.writeLong(report.elementsBefore());
        target.writeLong(report.elementsAfter());
        target.writeLong(report.copiesBefore());
        target.writeLong(report.copiesAfter());
        target.writeInt(report.rounds());
        target.writeLong(report.filtered());
        target.writeLong(report.compared());
        target.writeLong(report.sent());
        target.writeLong(report.repairedFirst());
        target.writeLong(report.repairedSecond());
        target.writeLong(report.repairedLater());
        target.writeLong(report.digestBytes());
        target.writeLong(report.filterBytes());
        target.writeLong(report.repairBytes());
        target.writeLong(report.naiveBytes());
        target.writeLong(report.retries());
        target.writeLong(report.waitedMillis());
    }

    @Override
    public WindowReport deserialize(DataInputView source) throws IOException {
        long window = source.readLong();
        int group = source.readInt();
        int code = source.readByte();
        if (code < 0 || code >= OUTCOMES.length) {
            throw new IOException("damaged report: no outcome has the code " + code);
        }
        return new WindowReport(
                window,
                group,
                OUTCOMES[code],
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readInt(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong(),
                source.readLong());
    }

    @Override
    public TypeSerializerSnapshot<WindowReport> snapshotConfiguration() {
        return new Snapshot();
    }

    /** The serializer has no configuration: its name says everything. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<WindowReport> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
