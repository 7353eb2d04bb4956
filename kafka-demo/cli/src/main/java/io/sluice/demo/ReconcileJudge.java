/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.demo.ReconcileReport.Exchange;
import io.sluice.demo.ReconcileReport.Failures;
import io.sluice.demo.ReconcileReport.Input;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.record.DecodeResult;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.io.IOException;

/**
 * Compares the final state of both replicas with what either saw. Trusts only what is on the
 * topics: inputs, final multisets, corrections, reports. Not thread-safe.
 */
final class ReconcileJudge {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final long windowMillis;
    private final ReplicaCounts counts = new ReplicaCounts();
    private long records;
    private long late;
    private long exchanges;
    private long agreed;
    private long second;
    private long later;
    private long repaired;
    private long rounds;
    private long digestBytes;
    private long filterBytes;
    private long filtered;
    private long repairBytes;
    private long naiveBytes;

    ReconcileJudge(long windowMillis) {
        this.windowMillis = windowMillis;
    }

    ReplicaCounts counts() {
        return counts;
    }

    /** A record of a replica's input. */
    void input(int replica, byte[] value) throws IOException {
        PacketRecord record = new PacketRecord();
        DecodeResult result = new PacketRecordCodec().decode(value, record);
        if (!result.isOk()) {
            throw new IOException("a record of the input cannot be read: " + result.code());
        }
        records++;
        long time = record.timestampMillis();
        counts.of(time - Math.floorMod(time, windowMillis), record.operationId()).seen[replica]++;
    }

    void late() {
        late++;
    }

    /** An element of a replica's final multisets. */
    void element(int replica, byte[] value) throws IOException {
        JsonNode json = JSON.readTree(value);
        counts.of(json.get("window").asLong(), json.get("operation").asLong()).last[replica] +=
                json.get("copies").asLong();
    }

    /** A correction that a replica emitted. */
    void correction(int replica, byte[] value) throws IOException {
        JsonNode json = JSON.readTree(value);
        repaired++;
        counts.of(json.get("window").asLong(), json.get("operation").asLong()).corrected[replica] +=
                json.get("after").asLong() - json.get("before").asLong();
    }

    /** A report about a window and key group. */
    void report(byte[] value) throws IOException {
        JsonNode json = JSON.readTree(value);
        exchanges++;
        agreed += json.get("outcome").asText().equals(Outcome.AGREED.name()) ? 1 : 0;
        second += json.get("repairedSecond").asLong();
        later += json.get("repairedLater").asLong();
        rounds = Math.max(rounds, json.get("rounds").asLong());
        digestBytes += json.get("digestBytes").asLong();
        filterBytes += json.get("filterBytes").asLong();
        filtered += json.get("filtered").asLong();
        repairBytes += json.get("repairBytes").asLong();
        naiveBytes += json.get("naiveBytes").asLong();
    }

    ReconcileReport report(Failures failures) {
        double elements = Math.max(1, counts.unionElements());
        long bytes = digestBytes + filterBytes + repairBytes;
        Exchange exchange =
                new Exchange(
                        exchanges,
                        agreed,
                        // A repair of a later round is an element that was wrong until then; since
                        // one side holds the maximum, it was wrong on only one side.
                        1 - (second + later) / elements,
                        1 - later / elements,
                        1 - counts.unequal() / elements,
                        filterBytes * 8.0 / Math.max(1, filtered),
                        bytes,
                        naiveBytes,
                        bytes / (double) Math.max(1, naiveBytes),
                        digestBytes,
                        filterBytes,
                        repairBytes,
                        rounds,
                        repaired);
        Input input =
                new Input(
                        records,
                        counts.unionElements(),
                        counts.lackedBy(0),
                        counts.lackedBy(1),
                        late);
        return new ReconcileReport(input, exchange, failures, verdict(failures));
    }

    private String verdict(Failures failures) {
        if (counts.wrongAt(0) + counts.wrongAt(1) > 0) {
            return counts.wrongAt(0)
                    + " and "
                    + counts.wrongAt(1)
                    + " of "
                    + counts.unionElements()
                    + " elements are not as often as in the union on the first and the second"
                    + " replica";
        }
        if (agreed < exchanges || exchanges == 0) {
            return (exchanges - agreed) + " of " + exchanges + " exchanges did not agree";
        }
        if (late > 0) {
            return late + " records came after their window was closed";
        }
        if (failures.recovered() < failures.injected()) {
            return "a killed replica did not recover from a checkpoint";
        }
        return "ok";
    }
}
