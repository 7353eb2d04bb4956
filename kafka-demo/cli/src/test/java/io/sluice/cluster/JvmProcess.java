/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cluster;

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

/**
 * A separate JVM that runs one main class from Flink's jars and writes its output to log files. It
 * never outlives this JVM, unless this one is killed with signal 9.
 */
final class JvmProcess implements AutoCloseable {
    private static final int LOG_TAIL_LINES = 40;

    /** These JVMs live for a minute and share few cores, so compiling with C2 would not pay off. */
    private static final List<String> SHORT_LIVED =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final Duration TO_DIE = Duration.ofSeconds(30);
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "jvm-reaper"));
    }

    private final String name;
    private final Process process;
    private final Path out;
    private final Path err;

    private JvmProcess(String name, Process process, Path out, Path err) {
        this.name = name;
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * @param logs directory of {@code <name>.out} and {@code <name>.err}
     * @param environment added to this process's own
     */
    static JvmProcess start(
            String name,
            Path logs,
            Map<String, String> environment,
            List<String> jvmOptions,
            String mainClass,
            List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SHORT_LIVED);
        command.addAll(jvmOptions);
        command.add("-cp");
        command.add(FlinkClassPath.asArgument());
        command.add(mainClass);
        command.addAll(arguments);
        Path out = logs.resolve(name + ".out");
        Path err = logs.resolve(name + ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .directory(logs.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        RUNNING.removeIf(other -> !other.isAlive());
        RUNNING.add(process);
        process.getOutputStream().close();
        return new JvmProcess(name, process, out, err);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits until the program ends by itself.
     *
     * @return its exit code
     */
    int awaitExit(Duration limit) throws IOException, InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            close();
            throw new AssertionError(
                    name + " did not end within " + limit.toSeconds() + " s\n" + logTail());
        }
        return process.exitValue();
    }

    /** {@code kill -9}: the program gets no chance to shut down. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(TO_DIE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError(name + ", process " + process.pid() + ", survived its kill");
        }
    }

    String output() throws IOException {
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    /** The last lines of both log files, for error messages. */
    String logTail() throws IOException {
        StringBuilder tail = new StringBuilder();
        for (Path log : List.of(out, err)) {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            tail.append("--- ").append(log).append(System.lineSeparator());
            lines.stream()
                    .skip(Math.max(0, lines.size() - LOG_TAIL_LINES))
                    .forEach(line -> tail.append(line).append(System.lineSeparator()));
        }
        return tail.toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().orTimeout(TO_DIE.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    @Override
    public String toString() {
        return name + ", process " + process.pid();
    }
}
