/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.BelievableWatermarks;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedBuilder;
import io.sluice.job.JobSummary.Trouble;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How event time follows the times of records. */
public final class EventTimeArguments {
    public static final String OUT_OF_ORDERNESS = "--out-of-orderness";
    public static final String MAX_AHEAD = "--max-ahead";

    @Option(
            names = OUT_OF_ORDERNESS,
            defaultValue = "5 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How far times in one partition, or capture, may lie behind the largest one"
                            + " seen. Default: ${DEFAULT-VALUE}.")
    public Duration outOfOrderness;

    @Option(
            names = MAX_AHEAD,
            defaultValue = "1 h",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How far ahead of the wall clock, or in a capture of the packets that follow, a"
                            + " time may be and still advance event time, and be remembered for"
                            + " the whole window; records beyond that are treated like the others,"
                            + " and counted."
                            + " Default: ${DEFAULT-VALUE}.")
    public Duration maxAhead;

    /**
     * Checks both.
     *
     * @throws IllegalArgumentException naming option, bound, value and remedy
     */
    public void check() {
        JobArguments.atLeast(OUT_OF_ORDERNESS, outOfOrderness, Duration.ZERO);
        JobArguments.atLeast(MAX_AHEAD, maxAhead, Duration.ZERO);
    }

    /** How far times may lie behind the largest one seen. */
    public Duration outOfOrderness() {
        return outOfOrderness;
    }

    /** How far ahead a time may be and still advance event time, see {@link #MAX_AHEAD}. */
    public Duration maxAhead() {
        return maxAhead;
    }

    /** Lets a filter in event time believe the same times; its longest window is the most. */
    public <B extends WindowedBuilder<B>> void set(B filter) {
        Duration most = WindowSettings.MAX_WINDOW;
        B unused = filter.maxFuture(maxAhead.compareTo(most) < 0 ? maxAhead : most);
    }

    /**
     * Times that event time did not follow.
     *
     * @param source its name
     */
    public Trouble disbelieved(String source) {
        return new Trouble(
                "Source: " + source,
                BelievableWatermarks.DISBELIEVED,
                "records have a time more than --max-ahead ("
                        + JobArguments.text(maxAhead)
                        + ") ahead of the wall clock; they were treated like the others,"
                        + " but did not advance event time: correct the clock that set it,"
                        + " or raise --max-ahead");
    }

    /**
     * Times in a capture that event time did not follow.
     *
     * @param source its name
     */
    public Trouble wild(String source) {
        return new Trouble(
                "Source: " + source,
                BelievableWatermarks.DISBELIEVED,
                "packets have a time more than --max-ahead ("
                        + JobArguments.text(maxAhead)
                        + ") ahead of packets before and after them; they were followed, but did"
                        + " not advance event time: if their times are right, raise --max-ahead");
    }
}
