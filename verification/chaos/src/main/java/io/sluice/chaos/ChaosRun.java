/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.InputCheck;
import io.sluice.chaos.check.LogCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.fault.Fault;
import io.sluice.chaos.fault.FaultKind;
import io.sluice.chaos.fault.FaultSchedule;
import io.sluice.chaos.job.ChaosJob;
import io.sluice.chaos.job.Jobs;
import io.sluice.chaos.job.Monitor;
import io.sluice.chaos.job.RunningPart;
import io.sluice.chaos.net.TcpProxy;
import io.sluice.chaos.process.Broker;
import io.sluice.chaos.process.Clocks;
import io.sluice.chaos.process.FakeTime;
import io.sluice.chaos.process.FlinkCluster;
import io.sluice.chaos.process.FlinkHome;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.Generator;
import io.sluice.chaos.truth.Script;
import io.sluice.flink.testkit.local.Directories;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** One run: everything starts, is beaten up, is drained, and is judged. */
final class ChaosRun {
    private static final Duration TO_END = Duration.ofMinutes(4);
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);

    /** Says that a folder is of a run, and may be replaced. */
    private static final String MARK = ".sluice-chaos";

    private final ChaosOptions options;
    private final Screen screen;
    private final List<ChaosJob> jobs;
    private final Set<FaultKind> kinds;
    private final SplittableRandom random;
    private final RunResults results;
    private final Clocks clocks;
    private final Map<ChaosJob, AckLog> logs = new LinkedHashMap<>();
    private final CheckResult handling = new CheckResult();
    private final List<Generator> generators = new ArrayList<>();
    private final List<RunningPart> parts = new ArrayList<>();

    private ChaosRun(ChaosOptions options, PrintWriter out) {
        this.options = options;
        screen = new Screen(out);
        jobs = Jobs.select(options.jobs());
        kinds =
                options.only().isEmpty()
                        ? EnumSet.allOf(FaultKind.class)
                        : FaultKind.select(options.only());
        random = new SplittableRandom(options.seed());
        results = new RunResults(options);
        clocks = new Clocks(options.out(), options.faketime());
        if (options.faketime() == null && kinds.remove(FaultKind.CLOCK_STEP)) {
            results.leftOut(FaultKind.CLOCK_STEP, "libfaketime is not here: " + FakeTime.REMEDY);
        }
        if (jobs.stream().noneMatch(ChaosJob::readsTimesThatJump)
                && kinds.remove(FaultKind.CLOCK_JUMP)) {
            results.leftOut(FaultKind.CLOCK_JUMP, "no job here reads times that jump");
        }
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException(
                    "--only has nothing that can happen to these jobs: " + results.leftOut());
        }
    }

    /** Whether all results are right. */
    static boolean run(ChaosOptions options, PrintWriter out)
            throws IOException, InterruptedException {
        return new ChaosRun(options, out).run();
    }

    private boolean run() throws IOException, InterruptedException {
        Path work = options.out();
        replace(work, "--out");
        Path disk = options.disk() == null ? work : options.disk();
        if (options.disk() != null) {
            replace(disk, "--disk");
        }
        screen.line(
                "seed %d, jobs %s; repeat with: %s",
                options.seed(), String.join(",", options.jobs()), options.command());
        results.leftOut().forEach((kind, why) -> screen.line("no %s: %s", kind, why));
        int[] ports = Ports.free(2);
        // The tools read checkpoints in this process.
        System.setProperty("sluice.chaos.disk", FlinkHome.disk(work).toString());
        int slots = 2 * jobs.stream().mapToInt(job -> job.parts().size()).sum();
        InetSocketAddress proxied = new InetSocketAddress(Ports.loopback(), ports[0]);
        InetSocketAddress real = new InetSocketAddress(Ports.loopback(), ports[1]);
        String servers = Ports.HOST + ":" + ports[0];
        boolean isOk = false;
        try (TcpProxy proxy = new TcpProxy(proxied, real);
                FlinkCluster cluster = new FlinkCluster(work, disk, options.jars(), slots, clocks);
                Broker broker = new Broker(work, ports[1], ports[0], clocks)) {
            cluster.start();
            screen.line("broker, JobManager and %d TaskManagers run", FlinkCluster.TASK_MANAGERS);
            Topics topics = new Topics(servers);
            startJobs(topics, cluster, servers);
            Injector injector =
                    new Injector(
                            work,
                            options.disk(),
                            cluster,
                            broker,
                            proxy,
                            clocks,
                            parts,
                            generators,
                            handling);
            try (Monitor monitor = new Monitor(cluster.rest(), parts)) {
                beat(injector);
                injector.heal();
                drain(topics);
                judgeProcesses(cluster);
                isOk = judge(new TopicReader(servers));
                summary(monitor);
            } catch (IOException e) {
                results.failed(e);
                screen.line("FAILED: %s", e.getMessage());
            }
        } finally {
            for (Generator generator : generators) {
                generator.close();
            }
            for (AckLog log : logs.values()) {
                log.close();
            }
        }
        results.write(work, isOk);
        screen.line("%s; everything is in %s", isOk ? "OK" : "FAILED", work);
        return isOk;
    }

    /** Removes an earlier run, and nothing else. */
    private static void replace(Path work, String option) throws IOException {
        if (Files.exists(work) && !Files.exists(work.resolve(MARK)) && !isEmpty(work)) {
            throw new IOException(
                    option
                            + " "
                            + work
                            + " has other things than a run of chaos: name another folder");
        }
        Directories.deleteRecursively(work);
        Files.createDirectories(work);
        Files.createFile(work.resolve(MARK));
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    private void startJobs(Topics topics, FlinkCluster cluster, String servers)
            throws IOException, InterruptedException {
        for (ChaosJob job : jobs) {
            topics.create(job.inputTopics(), ChaosJob.PARTITIONS);
            topics.create(job.outputTopics(), ChaosJob.PARTITIONS);
            for (ChaosJob.Part part : job.parts()) {
                screen.progress("starting %s", part.name());
                parts.add(new RunningPart(part, cluster, servers, random.split()));
            }
        }
        for (ChaosJob job : jobs) {
            AckLog log = new AckLog(options.out().resolve("truth-" + job.name() + ".log"));
            logs.put(job, log);
            Script script = job.script(random.split(), options.rate());
            generators.add(new Generator(job.name(), script, log, servers));
        }
        awaitHealth();
        screen.line("all jobs run: %s", String.join(", ", options.jobs()));
    }

    private void awaitHealth() throws IOException, InterruptedException {
        for (RunningPart part : parts) {
            part.awaitHealth();
        }
        for (Generator generator : generators) {
            generator.requireAlive();
        }
    }

    private void beat(Injector injector) throws IOException, InterruptedException {
        FaultSchedule schedule = new FaultSchedule(options.seed(), kinds);
        long start = System.nanoTime();
        while (true) {
            Fault fault = schedule.next();
            boolean enough = options.faults() > 0 && fault.number() > options.faults();
            boolean late =
                    !options.limit().isZero()
                            && System.nanoTime() - start > options.limit().toNanos();
            if (enough || late) {
                break;
            }
            screen.progress("fault %d in %s", fault.number(), fault.pause());
            Thread.sleep(fault.pause().toMillis());
            screen.progress("fault %d: %s", fault.number(), fault.kind().text());
            long begin = System.nanoTime();
            String what = injector.inject(fault);
            Duration recovered = null;
            if (fault.awaitsRecovery()) {
                screen.progress("fault %d: %s; waiting", fault.number(), what);
                awaitHealth();
                recovered = Duration.ofNanos(System.nanoTime() - begin);
            }
            results.fault(fault, what, Duration.ofNanos(begin - start), recovered);
            screen.line(
                    "%3d %-18s %s; %s",
                    fault.number(),
                    fault.kind().text(),
                    what,
                    recovered == null
                            ? "the next one did not wait"
                            : String.format(
                                    Locale.ROOT, "well after %.1f s", recovered.toMillis() / 1e3));
        }
    }

    private void drain(Topics topics) throws IOException, InterruptedException {
        awaitHealth();
        for (Generator generator : generators) {
            generator.end();
        }
        screen.line("no more faults, no more records; draining");
        for (RunningPart part : parts) {
            topics.awaitRead(part.part().group(), part.part().inputs());
        }
        for (ChaosJob job : jobs) {
            if (job.endsLater()) {
                awaitEnd(job, new TopicReader(topics.servers()));
            }
        }
        for (RunningPart part : parts) {
            part.stop();
        }
    }

    /** What is wrong after the deadline is told by the verdict. */
    private void awaitEnd(ChaosJob job, TopicReader topics)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TO_END.toNanos();
        CheckResult verdict;
        do {
            Thread.sleep(BETWEEN_CHECKS.toMillis());
            verdict = new CheckResult();
            job.check(topics, logs.get(job), verdict);
        } while (!verdict.isOk() && System.nanoTime() - deadline < 0);
    }

    /** Flink's processes may give up, and are started again; that is told, and why matters. */
    private void judgeProcesses(FlinkCluster cluster) throws IOException {
        cluster.endedByThemselves()
                .forEach(
                        (process, times) -> {
                            handling.number(process + " ended by itself", times);
                            screen.line("%s ended by itself %d times", process, times);
                        });
        LogCheck.judge(options.out().resolve("log"), handling);
    }

    private boolean judge(TopicReader topics) throws IOException {
        boolean isOk = handling.isOk();
        results.verdict("handling", handling);
        handling.violations().forEach(violation -> screen.line("WRONG      %s", violation));
        for (ChaosJob job : jobs) {
            CheckResult verdict = new CheckResult();
            AckLog log = logs.get(job);
            verdict.number("sent", log.sentRecords());
            InputCheck.judgeUndetermined(log, verdict);
            job.check(topics, log, verdict);
            results.verdict(job.name(), verdict);
            screen.line(
                    "%-10s %s  %s", job.name(), verdict.isOk() ? "ok" : "WRONG", verdict.numbers());
            verdict.violations().forEach(violation -> screen.line("           %s", violation));
            isOk &= verdict.isOk();
        }
        return isOk;
    }

    private void summary(Monitor monitor) {
        screen.line(
                "%-16s %9s %12s %7s %9s", "job", "subtasks", "checkpoints", "failed", "restores");
        for (RunningPart part : parts) {
            String name = part.part().name();
            results.part(part, monitor);
            screen.line(
                    "%-16s %9d %12d %7d %9d",
                    name,
                    part.parallelism(),
                    monitor.count(name, Monitor.Count.COMPLETED),
                    monitor.count(name, Monitor.Count.FAILED),
                    monitor.count(name, Monitor.Count.RESTORED));
        }
        screen.line("faults: %s", results.faultsByKind());
    }
}
