/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.Chart;
import io.sluice.bench.report.CsvTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where a process spends its time, by thread and class: samples of the JDK's flight recorder, taken
 * in this process. Time in native code (reading and writing files) is sampled separately and
 * attributed to the calling Java method.
 */
final class CpuProfile {
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final int SHOWN = 12;
    private static final String OWNER = "owner";

    private final Map<String, Integer> samples = new HashMap<>();
    private int all;

    private CpuProfile() {}

    /** Work to be profiled; the calling thread is named the owner. */
    interface Work {
        void run() throws IOException;
    }

    /** Does {@code work} and reports where the time went, in a table of the given name. */
    static void of(BenchReport report, Path directory, String name, Work work) throws IOException {
        Path file = directory.resolve(name + ".jfr");
        CpuProfile profile = new CpuProfile();
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ExecutionSample").withPeriod(PERIOD);
            recording.enable("jdk.NativeMethodSample").withPeriod(PERIOD);
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        profile.read(file, Thread.currentThread().getName());
        Files.delete(file);
        profile.write(report, name);
    }

    private void read(Path file, String owner) throws IOException {
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                RecordedStackTrace stack = event.getStackTrace();
                if (stack == null || stack.getFrames().isEmpty()) {
                    continue;
                }
                RecordedThread thread = event.getThread("sampledThread");
                String who = thread == null ? "unknown" : thread.getJavaName();
                String what = describe(event, stack.getFrames());
                if (!what.isEmpty()) {
                    all++;
                    samples.merge((owner.equals(who) ? OWNER : who) + ',' + what, 1, Integer::sum);
                }
            }
        }
    }

    /** Class of the innermost frame; for native code, the caller's; empty if it only waits. */
    private static String describe(RecordedEvent event, List<RecordedFrame> frames) {
        String top = className(frames.get(0));
        if (event.getEventType().getName().equals("jdk.ExecutionSample")) {
            return top;
        }
        for (RecordedFrame frame : frames) {
            String name = frame.getMethod().getType().getName();
            if (name.startsWith("io.sluice.")) {
                return top.contains("FileDispatcher") || top.contains("FileDispatcherImpl")
                        ? "file: " + className(frame)
                        : "";
            }
        }
        return "";
    }

    private static String className(RecordedFrame frame) {
        String name = frame.getMethod().getType().getName();
        return name.substring(name.lastIndexOf('.') + 1).replaceAll("\\$\\$Lambda.*", " lambda");
    }

    private void write(BenchReport report, String name) throws IOException {
        CsvTable table = new CsvTable("thread,class,samples,share");
        List<Map.Entry<String, Integer>> sorted =
                samples.entrySet().stream()
                        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                        .toList();
        int shown = 0;
        for (Map.Entry<String, Integer> entry : sorted) {
            String[] parts = entry.getKey().split(",", 2);
            double share = (double) entry.getValue() / all;
            table.add(parts[0], parts[1], entry.getValue(), share);
            if (shown++ < SHOWN) {
                report.progress("    %5.1f %%  %-20s %s", 100 * share, parts[0], parts[1]);
            }
        }
        report.table(name + ".csv", table);
        List<Map.Entry<String, Integer>> bars = sorted.stream().limit(SHOWN).toList();
        report.add(
                Chart.bars(
                                "Where processor time goes: " + name,
                                bars.stream()
                                        .map(entry -> entry.getKey().replace(",", ": "))
                                        .toList(),
                                "% of samples")
                        .bars(
                                "samples",
                                bars.stream()
                                        .map(entry -> 100.0 * entry.getValue() / all)
                                        .toList()));
    }
}
