/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
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
        double heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        sample.put(SoakSeries.HEAP, heap / MEBIBYTE);
        double metaspace =
                ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getName().equals("Metaspace"))
                        .mapToDouble(pool -> pool.getUsage().getUsed())
                        .sum();
        sample.put(SoakSeries.METASPACE, metaspace / MEBIBYTE);
        double buffers =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToDouble(BufferPoolMXBean::getMemoryUsed)
                        .sum();
        sample.put(SoakSeries.DIRECT, buffers / MEBIBYTE);
        double classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();
        sample.put(SoakSeries.CLASSES, classes);
        double threads = ManagementFactory.getThreadMXBean().getThreadCount();
        sample.put(SoakSeries.THREADS, threads);
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
