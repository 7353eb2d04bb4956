/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import io.sluice.chaos.disk.SmallDisk;
import io.sluice.chaos.fault.FaultKind;
import io.sluice.chaos.process.FakeTime;
import io.sluice.chaos.process.Jars;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.annotation.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice chaos}. */
@Command(
        name = "sluice chaos",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Beats a cluster up, and checks its results: a broker, a JobManager and three"
                    + " TaskManagers, each a process of this machine, run jobs of Sluice while"
                    + " processes are killed and stopped, the disk of checkpoints fails, the"
                    + " network to the broker breaks, and jobs are rescaled.",
            "",
            "A checker of its own then compares what is on the output topics with what was"
                    + " sent. The same seed gives the same faults and records; what they meet"
                    + " depends on the machine.",
            ""
        },
        footerHeading = "%nFaults:%n",
        footer = {
            "  kill-taskmanager, kill-jobmanager, kill-broker    kill -9",
            "  stop-taskmanager, stop-jobmanager, stop-broker    SIGSTOP for 10 to 16 s, SIGCONT",
            "  disk-full, disk-errors                            the disk of the checkpoints",
            "  net-delay, net-cut, net-reset                     between all clients and the"
                    + " broker",
            "  rescale             stop with a savepoint, start with other options and parallelism",
            "  damage-checkpoint   a file of the newest checkpoint is damaged or missing at a"
                    + " start",
            "  clock-jump          some records are hours to days ahead",
            "  clock-step          the wall clock of one process is minutes to hours wrong for"
                    + " 10 to 16 s; needs libfaketime",
            "",
            "Examples:",
            "  ./sluice chaos                                 about ten minutes, dedup and"
                    + " counters",
            "  ./sluice chaos --only kill --faults 5 --seed 7",
            "  ./sluice chaos --jobs dedup,counters,flows,reconcile,sql --minutes 30",
            "",
            "Exit codes:",
            "  0  all results are right",
            "  1  a result is wrong, or a job did not recover",
            "  2  wrong usage, or the run could not be made"
        })
final class ChaosCommand implements Callable<Integer> {
    private static final int MAX_RATE = 100_000;

    @Option(
            names = "--seed",
            defaultValue = "1",
            paramLabel = "N",
            description = "Seed of faults and records. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--faults",
            paramLabel = "N",
            description = "How many. Default: 14, or as many as --minutes has room for.")
    private Integer faults;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "Minutes after which no fault begins. Default: no limit.")
    private Double minutes;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "FAULT,...",
            description = "Kinds of faults; 'kill' means all that begin with it. Default: all.")
    private List<String> only = List.of();

    @Option(
            names = "--jobs",
            split = ",",
            defaultValue = "dedup,counters",
            paramLabel = "JOB,...",
            description =
                    "What runs: dedup, on-disk, forever, counters, flows, reconcile, sql. Default:"
                            + " ${DEFAULT-VALUE}.")
    private List<String> jobs;

    @Option(
            names = "--rate",
            defaultValue = "2000",
            paramLabel = "N",
            description = "Records a second for each job. Default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--faketime",
            paramLabel = "FILE",
            description =
                    "libfaketimeMT.so.1, for clock-step. Default: where the package 'faketime' puts"
                            + " it; where it is not, clock-step is left out.")
    private @Nullable Path faketime;

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description =
                    "Folder on a file system of at most 4 GB that is there for this alone, such as"
                            + " a tmpfs of 600 MB: checkpoints, savepoints and local files of tasks"
                            + " are on it, and disk-full really fills it. Default: writes of"
                            + " checkpoints fail as if there was no space.")
    private @Nullable Path disk;

    @Option(
            names = "--out",
            defaultValue = "sluice-out/chaos",
            paramLabel = "DIR",
            description =
                    "Folder for results.json and the logs of all processes; what an earlier run"
                            + " left there is replaced. Default: ${DEFAULT-VALUE}.")
    private Path out;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        require(faults == null || faults >= 1, "--faults must be at least 1, but is " + faults);
        require(minutes == null || minutes > 0, "--minutes must be more than 0, but is " + minutes);
        require(
                rate >= 1 && rate <= MAX_RATE,
                "--rate must be from 1 to " + MAX_RATE + ", but is " + rate);
        Jars jars = Jars.in(Path.of(System.getProperty("sluice.home", "../..")));
        Path smallDisk = disk == null ? null : SmallDisk.folder(disk, out);
        Optional<FakeTime> clock = clock();
        ChaosOptions options =
                new ChaosOptions(
                        seed,
                        faults != null ? faults : minutes != null ? 0 : 14,
                        minutes == null
                                ? Duration.ZERO
                                : Duration.ofMillis((long) (minutes * 60_000)),
                        only,
                        jobs,
                        rate,
                        jars,
                        out.toAbsolutePath(),
                        clock.orElse(null),
                        smallDisk);
        // Before the first logger exists.
        System.setProperty("sluice.log", options.out().resolve("log/chaos.log").toString());
        PrintWriter screen = spec.commandLine().getOut();
        return ChaosRun.run(options, screen) ? 0 : 1;
    }

    /** The library for stepped clocks, if it may be needed and is there. */
    private Optional<FakeTime> clock() throws IOException, InterruptedException {
        String kind = FaultKind.CLOCK_STEP.text();
        Optional<FakeTime> found = FakeTime.find(faketime);
        require(
                found.isPresent() || only.stream().noneMatch(name -> name.strip().equals(kind)),
                "--only has '" + kind + "', which needs libfaketime: " + FakeTime.REMEDY);
        boolean isWanted = only.isEmpty() || FaultKind.select(only).contains(FaultKind.CLOCK_STEP);
        if (!isWanted || found.isEmpty()) {
            return Optional.empty();
        }
        found.get().check();
        return found;
    }

    private void require(boolean holds, String message) {
        if (!holds) {
            throw new CommandLine.ParameterException(spec.commandLine(), message);
        }
    }
}
