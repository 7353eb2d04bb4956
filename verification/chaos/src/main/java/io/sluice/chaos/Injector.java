/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.disk.Ballast;
import io.sluice.chaos.disk.DiskState;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.job.RunningPart;
import io.sluice.chaos.net.TcpProxy;
import io.sluice.chaos.process.Broker;
import io.sluice.chaos.process.Clocks;
import io.sluice.chaos.process.FlinkCluster;
import io.sluice.chaos.process.FlinkHome;
import io.sluice.chaos.truth.Generator;
import io.sluice.flink.testkit.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import javax.annotation.Nullable;

/** Does what a {@link Fault} says, and tells what it did. */
final class Injector {
    private static final int MAX_PARALLELISM = 4;
    private static final double DISK_ERROR_PROBABILITY = 0.1;
    private static final int RESETS = 4;
    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();

    /** As long as the broker's transactions live, less what they have lived for. */
    private static final int MAX_BROKER_MINUTES = 10;

    private static final int MAX_HOURS = 5;
    private static final Duration BETWEEN_FILLS = Duration.ofMillis(20);
    private static final long MIB = 1 << 20;

    private final Path work;
    private final @Nullable Path smallDisk;
    private final FlinkCluster cluster;
    private final Broker broker;
    private final TcpProxy proxy;
    private final Clocks clocks;
    private final List<RunningPart> parts;
    private final List<Generator> generators;
    private final CheckResult handling;

    /**
     * For processes and jobs that run.
     *
     * @param smallDisk what is filled; null if a full disk is only played
     * @param handling takes what is wrong about how faults are handled, whatever the results are
     */
    Injector(
            Path work,
            @Nullable Path smallDisk,
            FlinkCluster cluster,
            Broker broker,
            TcpProxy proxy,
            Clocks clocks,
            List<RunningPart> parts,
            List<Generator> generators,
            CheckResult handling) {
        this.work = work;
        this.smallDisk = smallDisk;
        this.cluster = cluster;
        this.broker = broker;
        this.proxy = proxy;
        this.clocks = clocks;
        this.parts = parts;
        this.generators = generators;
        this.handling = handling;
    }

    /** What was done, for a line of progress. */
    String inject(Fault fault) throws IOException, InterruptedException {
        // What has ended by itself cannot be killed or stopped.
        cluster.startWhatEnded();
        SplittableRandom random = new SplittableRandom(fault.variation());
        return switch (fault.kind()) {
            case KILL_TASKMANAGER -> killTaskManager(fault, random);
            case KILL_JOBMANAGER -> {
                ChildProcess process = cluster.jobManager();
                process.kill();
                Duration away = someOf(fault.length(), random);
                sleep(away);
                cluster.startJobManager();
                yield process + " was away for " + text(away);
            }
            case KILL_BROKER -> {
                ChildProcess process = broker.process();
                process.kill();
                Duration away = someOf(fault.length(), random);
                sleep(away);
                broker.start();
                yield process + " was away for " + text(away);
            }
            case STOP_TASKMANAGER -> pause(taskManager(fault), fault);
            case STOP_JOBMANAGER -> pause(cluster.jobManager(), fault);
            case STOP_BROKER -> pause(broker.process(), fault);
            case DISK_FULL ->
                    smallDisk == null
                            ? disk(DiskState.FULL, fault, "no space for checkpoints")
                            : fill(smallDisk, fault);

            case DISK_ERRORS ->
                    disk(
                            DiskState.errors(DISK_ERROR_PROBABILITY, fault.variation()),
                            fault,
                            "one in ten operations on checkpoints failed");
            case NET_DELAY -> {
                Duration delay = Duration.ofMillis(20 + random.nextInt(200));
                proxy.delay(delay);
                sleep(fault.length());
                proxy.delay(Duration.ZERO);
                yield "each piece " + delay.toMillis() + " ms late for " + text(fault.length());
            }
            case NET_CUT -> {
                proxy.cut();
                sleep(fault.length());
                proxy.mend();
                yield "nothing came through for " + text(fault.length());
            }
            case NET_RESET -> {
                int count = 0;
                for (int i = 0; i < RESETS; i++) {
                    count += proxy.reset();
                    sleep(Duration.ofMillis(random.nextInt(1500)));
                }
                yield count + " connections were reset";
            }
            case RESCALE -> rescale(fault, random);
            case DAMAGE_CHECKPOINT ->
                    parts.get(fault.target() % parts.size()).damage(random, handling);
            case CLOCK_JUMP -> {
                long ahead = HOUR_MILLIS * (2 + random.nextInt(48));
                generators.forEach(generator -> generator.wildTimes(ahead));
                sleep(fault.length());
                generators.forEach(generator -> generator.wildTimes(0));
                yield "one in fifty ids was "
                        + ahead / HOUR_MILLIS
                        + " h ahead for "
                        + text(fault.length());
            }
            case CLOCK_STEP -> stepClock(fault, random);
        };
    }

    private String stepClock(Fault fault, SplittableRandom random)
            throws IOException, InterruptedException {
        // A record that is hours ahead is believed by a clock that is, too.
        for (RunningPart part : parts) {
            part.awaitHealth();
        }
        int number = fault.target() % (FlinkCluster.TASK_MANAGERS + 2);
        ChildProcess process =
                number < FlinkCluster.TASK_MANAGERS
                        ? cluster.taskManager(number)
                        : number == FlinkCluster.TASK_MANAGERS
                                ? cluster.jobManager()
                                : broker.process();
        boolean isBroker = process == broker.process();
        Duration step =
                isBroker
                        ? Duration.ofMinutes(1 + random.nextInt(MAX_BROKER_MINUTES))
                        : random.nextBoolean()
                                ? Duration.ofMinutes(1 + random.nextInt(59))
                                : Duration.ofHours(1 + random.nextInt(MAX_HOURS));
        boolean isAhead = random.nextBoolean();
        clocks.set(process.name(), isAhead ? step : step.negated());
        sleep(fault.length());
        clocks.set(process.name(), Duration.ZERO);
        return String.format(
                "the clock of %s was %d min %s for %s",
                process, step.toMinutes(), isAhead ? "ahead" : "behind", text(fault.length()));
    }

    /** Leaves no room, not even what the processes give back meanwhile. */
    private static String fill(Path disk, Fault fault) throws IOException, InterruptedException {
        long bytes;
        try (Ballast ballast = Ballast.in(disk)) {
            bytes = ballast.fill();
            long end = System.nanoTime() + fault.length().toNanos();
            while (System.nanoTime() - end < 0) {
                sleep(BETWEEN_FILLS);
                bytes = ballast.fill();
            }
        }
        return bytes / MIB + " MB of ballast left no space for " + text(fault.length());
    }

    private String killTaskManager(Fault fault, SplittableRandom random)
            throws IOException, InterruptedException {
        ChildProcess process = taskManager(fault);
        process.kill();
        Duration away = someOf(fault.length(), random);
        sleep(away);
        cluster.startTaskManager(fault.target() % FlinkCluster.TASK_MANAGERS);
        return process + " was away for " + text(away);
    }

    private ChildProcess taskManager(Fault fault) {
        return cluster.taskManager(fault.target() % FlinkCluster.TASK_MANAGERS);
    }

    private static String pause(ChildProcess process, Fault fault)
            throws IOException, InterruptedException {
        process.pause(fault.length());
        return process + " stood still for " + text(fault.length());
    }

    private String disk(DiskState state, Fault fault, String what)
            throws IOException, InterruptedException {
        state.write(FlinkHome.disk(work));
        sleep(fault.length());
        DiskState.HEALTHY.write(FlinkHome.disk(work));
        return what + " for " + text(fault.length());
    }

    private String rescale(Fault fault, SplittableRandom random)
            throws IOException, InterruptedException {
        RunningPart part = parts.get(fault.target() % parts.size());
        part.awaitHealth();
        int before = part.parallelism();
        int after = 1 + (before + random.nextInt(MAX_PARALLELISM - 1)) % MAX_PARALLELISM;
        String format = random.nextBoolean() ? "NATIVE" : RunningPart.CANONICAL;
        part.rescale(after, format, random);
        return part.part().name()
                + " from "
                + before
                + " to "
                + after
                + " subtasks, "
                + format.toLowerCase(Locale.ROOT)
                + " savepoint, other options";
    }

    /** Ends whatever lasts, for the end of a run. */
    void heal() throws IOException, InterruptedException {
        proxy.delay(Duration.ZERO);
        proxy.mend();
        DiskState.HEALTHY.write(FlinkHome.disk(work));
        if (!broker.process().isAlive()) {
            broker.start();
        }
        cluster.startWhatEnded();
    }

    private static Duration someOf(Duration length, SplittableRandom random) {
        return Duration.ofMillis(random.nextLong(length.toMillis()));
    }

    private static void sleep(Duration duration) throws InterruptedException {
        Thread.sleep(duration.toMillis());
    }

    private static String text(Duration duration) {
        return String.format("%.1f s", duration.toMillis() / 1000.0);
    }
}
