/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import kotlin.Unit;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.observers.TimelineCoverageType;
import org.pastalab.fray.core.randomness.ControlledRandom;

/**
 * Runs a piece of code again and again, each time with another order of what its threads do. Only
 * one thread runs at a time; before each step that another one might see, the scheduler decides who
 * goes on. It reports what the code throws, a deadlock, and what a thread throws that nobody joins.
 *
 * <p>A schedule has a seed and a number. Both together repeat it, as long as the code depends on
 * nothing else that changes from run to run.
 */
public final class Schedules {

    private static final int COUNT = Integer.getInteger("schedules", 300);
    private static final int FIRST = Integer.getInteger("schedules.first", 0);
    private static final long SEED = Long.getLong("test.seed", 20261101);

    /** A wait that has a limit ends only when nothing else can go on. */
    private static final boolean TIMEOUTS_COME_LAST = true;

    private static final long NANOS_OF_A_LOOK_AT_THE_CLOCK = 100_000;

    private Schedules() {}

    /** What is explored. Starts threads, and returns when they have ended. */
    public interface Body {

        /** Throws if something is not as it should be. */
        void run() throws Exception;
    }

    /**
     * Explores a body, with as many schedules as the property {@code schedules} says.
     *
     * @param name of the test, for the report
     */
    public static void explore(String name, Body body) {
        Configuration configuration = configuration(name, body);
        Throwable found = runQuietly(configuration);
        int number = FIRST + configuration.getCurrentIteration();
        if (found != null) {
            throw new AssertionError(
                    name
                            + " fails under schedule "
                            + number
                            + " of seed "
                            + SEED
                            + "; to repeat it: SEED="
                            + SEED
                            + " FIRST="
                            + number
                            + " verification/schedules/all.sh 1",
                    found);
        }
        if (configuration.getCurrentIteration() != COUNT) {
            throw new AssertionError(name + " ended after " + number + " schedules of " + COUNT);
        }
        System.out.printf(
                "%s: %d schedules, %d orders of who came when%n",
                name, COUNT, configuration.getTimelineCoverage().getCoverage());
    }

    private static Configuration configuration(String name, Body body) {
        LambdaExecutor executor =
                new LambdaExecutor(
                        () -> {
                            run(body);
                            return Unit.INSTANCE;
                        });
        int[] number = {FIRST};
        return new Configuration(
                new ExecutionInfo(executor, false, true, -1),
                Path.of(System.getProperty("schedules.reports", "target/schedules"), name),
                COUNT,
                Integer.MAX_VALUE,
                MixedScheduler.of(random(FIRST)),
                () -> random(++number[0]),
                false,
                false,
                true,
                false,
                false,
                false,
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.NONE,
                NANOS_OF_A_LOOK_AT_THE_CLOCK,
                TIMEOUTS_COME_LAST,
                true,
                false,
                false,
                false,
                false,
                TimelineCoverageType.RESOURCE_ORDERING);
    }

    private static ControlledRandom random(int number) {
        return new ControlledRandom(
                new ArrayList<>(), new ArrayList<>(), new Random(SEED * 1_000_003 + number));
    }

    /** The scheduler shows its progress on a terminal that it takes for its own. */
    private static Throwable runQuietly(Configuration configuration) {
        PrintStream shown = System.out;
        PrintStream nothing =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(nothing);
        try {
            return new TestRunner(configuration).run();
        } finally {
            System.setOut(shown);
        }
    }

    private static void run(Body body) {
        try {
            body.run();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Runs all at once: the first on this thread, each other one on its own. */
    public static void together(Body first, Body... others) throws Exception {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (Body other : others) {
            FutureTask<Void> task = new FutureTask<>(asCallable(other));
            tasks.add(task);
            new Thread(task, "other-" + tasks.size()).start();
        }
        Throwable failure = null;
        try {
            first.run();
        } catch (Exception | Error e) {
            failure = e;
        }
        for (FutureTask<Void> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                if (failure == null) {
                    failure = e.getCause();
                } else {
                    failure.addSuppressed(e.getCause());
                }
            }
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof Exception exception) {
            throw exception;
        }
    }

    private static Callable<Void> asCallable(Body body) {
        return () -> {
            body.run();
            return null;
        };
    }
}
