/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.jar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A JVM with a class path and a main class of the distribution; ends with this one. */
final class JvmProcess implements AutoCloseable {

    private static final int LOG_TAIL_LINES = 60;
    private static final Duration TO_DIE = Duration.ofSeconds(30);
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "jvm-reaper"));
    }

    private final String name;
    private final Process process;
    private final Path log;

    private JvmProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /** Both outputs go to {@code <name>.log}. */
    static JvmProcess start(
            String name,
            Path logs,
            Map<String, String> environment,
            List<String> options,
            String classPath,
            String mainClass,
            List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // They live for a minute and share few cores.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(arguments);
        Path log = logs.resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .directory(logs.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        RUNNING.add(process);
        process.getOutputStream().close();
        return new JvmProcess(name, process, log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String output() throws IOException {
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    /** What it printed; fails if it does not end, or with another code than 0. */
    String await(Duration limit) throws IOException, InterruptedException {
        boolean hasEnded = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (!hasEnded || process.exitValue() != 0) {
            String how = hasEnded ? "ended with " + process.exitValue() : "did not end";
            close();
            throw new AssertionError(name + ' ' + how + '\n' + logTail());
        }
        return output();
    }

    String logTail() throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
        return "--- "
                + log
                + '\n'
                + String.join(
                        "\n",
                        lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().orTimeout(TO_DIE.toMillis(), TimeUnit.MILLISECONDS).join();
        RUNNING.remove(process);
    }
}
