/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.annotation.Internal;

/**
 * A JVM of its own, whose output goes to one log file that its restarts continue. It does not
 * outlive this JVM, unless this one is killed with signal 9.
 */
@Internal
public final class ChildProcess implements AutoCloseable {
    private static final int LOG_TAIL_LINES = 60;
    private static final Duration TO_DIE = Duration.ofSeconds(30);

    /** These JVMs live for minutes and share few cores, so compiling with C2 would not pay off. */
    private static final List<String> SHORT_LIVED =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> RUNNING.forEach(Process::destroyForcibly), "child-reaper"));
    }

    private final String name;
    private final Process process;
    private final Path log;

    private ChildProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * What to start.
     *
     * @param name of the process, and of its log file {@code <name>.log}
     * @param logs folder of the log file, and the working directory
     * @param environment added to this process's own
     */
    public record Program(
            String name,
            Path logs,
            Map<String, String> environment,
            List<String> jvmOptions,
            String classPath,
            String mainClass,
            List<String> arguments) {

        /** Returns the same program with more environment. */
        public Program with(Map<String, String> more) {
            Map<String, String> all = new HashMap<>(environment);
            all.putAll(more);
            return new Program(name, logs, all, jvmOptions, classPath, mainClass, arguments);
        }
    }

    /** Starts it; does not wait for anything it does. */
    public static ChildProcess start(Program program) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SHORT_LIVED);
        command.addAll(program.jvmOptions());
        command.addAll(List.of("-cp", program.classPath(), program.mainClass()));
        command.addAll(program.arguments());
        Path log = program.logs().resolve(program.name() + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .directory(program.logs().toFile());
        builder.environment().putAll(program.environment());
        Process process = builder.start();
        RUNNING.removeIf(other -> !other.isAlive());
        RUNNING.add(process);
        process.getOutputStream().close();
        return new ChildProcess(program.name(), process, log);
    }

    public String name() {
        return name;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** {@code kill -9}: the program gets no chance to shut down. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(TO_DIE.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(this + " survived its kill");
        }
    }

    /**
     * Asks the program to end ({@code SIGTERM}), and waits until it has; kills it after {@code
     * limit}.
     *
     * @throws IOException with the end of the log if it does not end within {@code limit}
     */
    public void stop(Duration limit) throws InterruptedException, IOException {
        process.destroy();
        await(limit);
    }

    /**
     * Stops the process with SIGSTOP, and lets it go on with SIGCONT after {@code length}. A shell
     * does it, so that the process goes on whatever happens to this JVM meanwhile.
     */
    public void pause(Duration length) throws IOException, InterruptedException {
        String script =
                String.format(
                        "kill -STOP %1$d && sleep %2$d.%3$03d; kill -CONT %1$d",
                        process.pid(), length.toSeconds(), length.toMillisPart());
        Process shell = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
        shell.getOutputStream().close();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (shell.waitFor() != 0 && process.isAlive()) {
            throw new IOException(this + " was not stopped and continued: " + said.strip());
        }
    }

    /**
     * Waits until the program ends by itself; kills it after {@code limit}.
     *
     * @return its exit code
     */
    public int await(Duration limit) throws InterruptedException, IOException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            kill();
            throw new IOException(
                    name + " did not end within " + limit.toSeconds() + " s\n" + logTail());
        }
        return process.exitValue();
    }

    /**
     * Waits until the program ends by itself with exit code 0.
     *
     * @return all that was logged
     * @throws IOException with the end of the log if it does not end within {@code limit}, or with
     *     another code
     */
    public String awaitSuccess(Duration limit) throws InterruptedException, IOException {
        int code = await(limit);
        if (code != 0) {
            throw new IOException(name + " ended with " + code + '\n' + logTail());
        }
        return output();
    }

    /** Returns all that was logged, by earlier processes of this name too. */
    public String output() throws IOException {
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    /** Returns the last lines of the log, for error messages. */
    public String logTail() throws IOException {
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
    }

    @Override
    public String toString() {
        return name + ", process " + process.pid();
    }
}
