/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.job.JobSummary.Trouble;
import io.sluice.kafka.BrokerOptions;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.InputTopics;
import io.sluice.kafka.commit.LostCommits;
import io.sluice.kafka.commit.OnLostCommit;
import io.sluice.kafka.identity.IdentifiedSplits;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.util.TimeUtils;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that all jobs have in common. */
public abstract class JobArguments {
    public static final String BOOTSTRAP_SERVERS = BrokerOptions.BOOTSTRAP_SERVERS;
    public static final String INPUT_TOPIC = "--input-topic";
    public static final String INPUT_TOPIC_PATTERN = "--input-topic-pattern";
    public static final String OUT_OF_ORDERNESS = EventTimeArguments.OUT_OF_ORDERNESS;
    public static final String IDLENESS = "--idleness";
    public static final String MAX_AHEAD = EventTimeArguments.MAX_AHEAD;
    public static final String MAX_DRIFT = "--max-drift";
    public static final String CHECKPOINT_INTERVAL = "--checkpoint-interval";
    public static final String PARALLELISM = "--parallelism";
    public static final String TRANSACTION_TIMEOUT = "--transaction-timeout";

    /**
     * What is read ahead is remembered for so much longer, so it costs at most this part more
     * memory.
     */
    private static final int WINDOWS_TO_DRIFT = 4;

    /** With less, a short window would keep stopping the reading for what takes no memory. */
    private static final Duration MIN_DEFAULT_DRIFT = Duration.ofSeconds(10);

    static final Duration DISCOVERY_INTERVAL = Duration.ofSeconds(30);

    @Mixin public BrokerOptions brokerOptions = new BrokerOptions();

    @Mixin public EventTimeArguments times = new EventTimeArguments();

    @Option(
            names = IDLENESS,
            defaultValue = "10 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "A partition that is silent for this long, and read to its end, does not hold"
                            + " event time back. Default: ${DEFAULT-VALUE}.")
    Duration idleness;

    @Option(
            names = MAX_DRIFT,
            converter = OfDrift.class,
            paramLabel = "DURATION",
            description =
                    "How far ahead of the others in event time a partition may be read that has a"
                            + " backlog: what is read ahead has to be remembered. 'off' reads each"
                            + " as fast as it can. Default: a quarter of the window (of the"
                            + " shortest timeout), at least 10 s.")
    @Nullable
    public Duration maxDrift;

    @Option(
            names = CHECKPOINT_INTERVAL,
            defaultValue = "10 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "Results are committed this often. Default: ${DEFAULT-VALUE}.")
    Duration checkpointInterval;

    @Option(names = PARALLELISM, paramLabel = "N", description = "Default: the cluster's.")
    public Integer parallelism;

    @Option(
            names = TRANSACTION_TIMEOUT,
            defaultValue = "15 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "Must be longer than a checkpoint plus a restart, and at most the broker's"
                            + " transaction.max.timeout.ms: the broker aborts a transaction that is"
                            + " open for longer (see "
                            + LostCommits.OPTION
                            + "). Default: ${DEFAULT-VALUE}.")
    public Duration transactionTimeout;

    @Option(
            names = LostCommits.OPTION,
            defaultValue = "reread",
            paramLabel = "ACTION",
            description =
                    "What happens if the broker has aborted records that a checkpoint says were"
                            + " written, as when the job was away for longer than "
                            + TRANSACTION_TIMEOUT
                            + ": 'reread' reads them from the input and writes them once more,"
                            + " 'fail' stops the job, 'ignore' goes on without them. Results of"
                            + " many records cannot be read again, so for them the job stops."
                            + " Default: ${DEFAULT-VALUE}.")
    public OnLostCommit onLostCommit;

    @Option(
            names = IdentifiedSplits.ACCEPT_NEW_TOPIC,
            description =
                    "Read an input topic that was deleted and made anew from its beginning when the"
                            + " job is restored. Default: the job does not start then.")
    boolean acceptNewTopic;

    public JobArguments() {}

    /** Fills {@code options} from {@code arguments}, and checks them. */
    public static <O extends JobArguments> O parse(O options, String... arguments) {
        try {
            new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        } catch (CommandLine.ParameterException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        options.check();
        return options;
    }

    /**
     * Checks what is checked nowhere else.
     *
     * @throws IllegalArgumentException naming option, bound, value and remedy
     */
    public void check() {
        brokerOptions.check();
        atLeast(CHECKPOINT_INTERVAL, checkpointInterval, Duration.ofMillis(10));
        atLeast(TRANSACTION_TIMEOUT, transactionTimeout, checkpointInterval);
        times.check();
        atLeast(IDLENESS, idleness, Duration.ofMillis(1));
        if (parallelism != null && parallelism < 1) {
            throw new IllegalArgumentException(
                    PARALLELISM + " must be at least 1, but is " + parallelism);
        }
    }

    /** How far ahead of others a partition may be read, in ms; 0 for as far as it likes. */
    public long driftMillis() {
        if (maxDrift != null) {
            return TimeUnit.MILLISECONDS.convert(maxDrift);
        }
        return Math.max(
                window().dividedBy(WINDOWS_TO_DRIFT).toMillis(), MIN_DEFAULT_DRIFT.toMillis());
    }

    /** A duration, or {@code off}, which is 0. */
    static final class OfDrift implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            if (text.equalsIgnoreCase("off")) {
                return Duration.ZERO;
            }
            Duration drift = new Converters.OfDuration().convert(text);
            if (drift.toMillis() < 1) {
                throw new TypeConversionException(
                        "'" + text + "' holds everything back: write 10min, or 'off'");
            }
            return drift;
        }
    }

    public static void atLeast(String option, Duration value, Duration bound) {
        if (value.compareTo(bound) < 0) {
            throw new IllegalArgumentException(
                    option
                            + " must be at least "
                            + bound.toMillis()
                            + " ms, but is "
                            + value.toMillis()
                            + " ms: raise it");
        }
    }

    /** Copies these options to {@code other}. */
    protected void copyTo(JobArguments other) {
        other.brokerOptions = brokerOptions;
        other.times = times;
        other.idleness = idleness;
        other.maxDrift = maxDrift;
        other.checkpointInterval = checkpointInterval;
        other.parallelism = parallelism;
        other.transactionTimeout = transactionTimeout;
        other.onLostCommit = onLostCommit;
        other.acceptNewTopic = acceptNewTopic;
    }

    /** The topics to read that are there at the start; all must exist. */
    public abstract List<String> inputTopics();

    /** The topics to read, those included that come later. */
    public InputTopics topicsToRead() {
        return InputTopics.named(inputTopics());
    }

    /** How often the broker is asked for more partitions to read. */
    public Duration discoveryInterval() {
        return DISCOVERY_INTERVAL;
    }

    /**
     * The values of the options that say what the job remembers of a record: with others, its state
     * would be of another kind, and is refused.
     */
    protected Map<String, String> optionsOfTheState() {
        return Map.of();
    }

    /** How long the job remembers a record, in event time. */
    protected abstract Duration window();

    /**
     * The cluster that the job reads from.
     *
     * @throws IllegalArgumentException if the options do not name one
     */
    public final Brokers brokers() {
        return brokerOptions.brokers();
    }

    /** The cluster that the job writes to. */
    public Brokers outputBrokers() {
        return brokers();
    }

    /**
     * What may happen to records before a job sees them.
     *
     * @param source its name
     */
    protected final List<Trouble> troublesOfTheInput(String source) {
        return List.of(
                times.disbelieved(source),
                new Trouble(
                        "split",
                        KafkaEnds.REJECTED,
                        "records could not be read; they are dead letters, with the reason"));
    }

    /** The same for dead letters. */
    public final List<Trouble> troublesOfDeadLetters(String topic) {
        return List.of(
                new Trouble(
                        JobSummary.writer(KafkaEnds.DEAD_LETTERS),
                        DeadLetterSchema.CUT,
                        "dead letters were cut to fit; raise max.message.bytes of topic '"
                                + topic
                                + "' to keep them complete"),
                new Trouble(
                        JobSummary.writer(KafkaEnds.DEAD_LETTERS),
                        DeadLetterSchema.UNWRITTEN,
                        "dead letters were not written, since their headers do not fit; raise"
                                + " max.message.bytes of topic '"
                                + topic
                                + "'"));
    }

    /** The duration in the form of an option. */
    public static String text(Duration duration) {
        return TimeUtils.formatWithHighestUnit(duration);
    }

    /** How many subtasks; empty for the cluster's default. */
    public OptionalInt parallelism() {
        return parallelism == null ? OptionalInt.empty() : OptionalInt.of(parallelism);
    }
}
