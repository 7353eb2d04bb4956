/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What this process holds; what the system does not tell is left out. */
final class ProcessProbe {
    private static final double MEBIBYTE = 1 << 20;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    private ProcessProbe() {}

    /** Collects garbage first, so that the heap is what is really held. */
    static void addTo(Map<SoakSeries, Double> sample) throws IOException {
        System.gc();
        sample.put(
                SoakSeries.HEAP,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEBIBYTE);
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Metaspace")) {
                sample.put(SoakSeries.METASPACE, pool.getUsage().getUsed() / MEBIBYTE);
            }
        }
        double buffers =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToDouble(BufferPoolMXBean::getMemoryUsed)
                        .sum();
        sample.put(SoakSeries.DIRECT, buffers / MEBIBYTE);
        sample.put(
                SoakSeries.CLASSES,
                (double) ManagementFactory.getClassLoadingMXBean().getLoadedClassCount());
        sample.put(
                SoakSeries.THREADS, (double) ManagementFactory.getThreadMXBean().getThreadCount());
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os) {
            sample.put(SoakSeries.HANDLES, (double) os.getOpenFileDescriptorCount());
        }
        if (Files.isReadable(STATUS)) {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(RESIDENT)) {
                    String kilobytes = line.substring(RESIDENT.length()).replace("kB", "").strip();
                    sample.put(SoakSeries.RSS, Double.parseDouble(kilobytes) / 1024);
                }
            }
        }
    }
}
