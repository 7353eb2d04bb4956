/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import java.io.IOException;

/** The limits of the device, as figures. */
final class DeviceRates {
    static final int DEPTH = 32;

    private DeviceRates() {}

    static void run(BenchReport report, DeviceProbe probe, double seconds) throws IOException {
        report.progress("device, past the caches of this system");
        add(report, "write.GBs", probe.writeBytesPerSecond() / 1e9, "GB/s", "1 MiB at a time");
        add(report, "read.GBs", probe.readBytesPerSecond() / 1e9, "GB/s", "1 MiB at a time");
        add(
                report,
                "randomReads.depth1",
                probe.randomReadsPerSecond(1, seconds),
                "reads/s",
                "4 KiB");
        add(
                report,
                "randomReads.depth" + DEPTH,
                probe.randomReadsPerSecond(DEPTH, seconds),
                "reads/s",
                "4 KiB, by " + DEPTH + " threads");
    }

    private static void add(
            BenchReport report, String name, double value, String unit, String note) {
        report.add("cascade.device." + name, value, unit, "", note);
    }
}
