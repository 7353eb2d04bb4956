/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OptionException;
import io.sluice.flink.Uid;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.counter.MissedOperation;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.reconcile.element.ByGroup;
import io.sluice.flink.reconcile.element.ElementIds;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Finds and repairs the differences between what two replicas of a pipeline saw. Each replica
 * counts the records of each id per tumbling window of event time; after the window they exchange
 * filters of these counts, and what the other lacks.
 *
 * <pre>{@code
 * Reconciled<Click, String> clicks = Reconcile.by(Click::requestId)
 *         .uid("clicks-reconcile")
 *         .replica("east")
 *         .peer("west")
 *         .window(Duration.ofMinutes(10))
 *         .ttl(Duration.ofHours(6))
 *         .apply(clickStream, messagesOfWest);      // DataStream<byte[]>, from a topic
 * clicks.messages().sinkTo(topicForWest);           // their bytes(), at least once
 * clicks.repairs();                                 // what to add to this side's counts
 * }</pre>
 *
 * <p>The guarantee: <em>when an exchange ends with {@code AGREED}, both replicas have had, or have
 * been given as repairs, every id that either saw in time, as often as the one that saw it more
 * often; repairs are emitted once, across failure, restore and rescaling, and whatever messages
 * were lost, damaged, repeated or reordered</em> (except for a chance of about 2^-64 that different
 * multisets have equal checksums). An exchange that ends otherwise may have repaired a part, and
 * its report says so. A peer that is down costs only the state of the windows that wait for it, for
 * the {@link #ttl} and within {@link #maxWaitingElements}.
 *
 * <p>Both replicas need the same {@link #window}, {@link #groups}, {@link #seed} and type of ids;
 * messages of a peer with a different setup are refused, and counted. Messages leave only with
 * completed checkpoints, so an exchange takes a few checkpoint intervals. A replica that starts
 * again without its state is recognised by its incarnation, the time of its start: exchanges that
 * have not ended begin again, and exchanges that had ended with it end there as {@code
 * PEER_GAVE_UP}, or as {@code AGREED} if it has read everything again that was agreed on.
 *
 * <p>Time: a watermark far ahead ({@link #maxFuture}) is not believed, and the end of the input
 * does not advance time, so a job that was drained, or whose watermark ran away, continues from its
 * savepoint with its former clock. Repairs, reports and elements have the last timestamp of their
 * window or, if event time is beyond it, the first that is not late; so event-time windows
 * downstream lose nothing, and {@code window} says where they belong. The end of event time is
 * forwarded when both inputs have ended.
 *
 * <p>The state holds the setup: a restore with another window, other groups, seed, names or ids is
 * refused with both values.
 *
 * @param <T> type of the records
 * @param <K> type of the ids
 */
@Experimental
public final class Reconcile<T, K> {

    private final KeySelector<T, K> idSelector;

    /** The type of the ids, by that of the records. */
    private Function<TypeInformation<T>, TypeInformation<K>> idType;

    /** Gets the length of the windows. */
    private Consumer<Duration> windowTold = window -> {};

    private @Nullable String uid;
    private @Nullable Multiplicity<T> multiplicity = unused -> 1;
    private final Configuration options = new Configuration();

    private Reconcile(KeySelector<T, K> idSelector) {
        this.idSelector = idSelector;
        this.idType = records -> TypeExtractor.getKeySelectorTypes(idSelector, records);
    }

    /**
     * Starts a builder. {@code idSelector} must give equal ids on both replicas for the same thing,
     * and be deterministic; see {@link IdHasher} for the types of ids. Ids are told apart by 64
     * bits of hash.
     */
    public static <T, K> Reconcile<T, K> by(KeySelector<T, K> idSelector) {
        return new Reconcile<>(requireNonNull(idSelector, "idSelector"));
    }

    /**
     * Starts a builder for counters that count the same operations in each replica. What this
     * replica missed is counted too if its {@link Reconciled#missed} are the {@link
     * IdempotentCounters#corrections} of {@code counters}; then all replicas end with equal values,
     * whatever each of them lost, or got repeatedly, on the way to it:
     *
     * <pre>{@code
     * IdempotentCounters<View, String> counters = IdempotentCounters.of(View::page) ...;
     * Reconciled<View, MissedOperation<String, Object>> agreed = Reconcile.state(counters)
     *         .uid("views-agree")
     *         .replica("east")
     *         .peer("west")
     *         .window(Duration.ofMinutes(10))
     *         .apply(views, messagesOfWest);
     * agreed.messages().sinkTo(topicForWest);
     * counters.corrections(agreed.missed()).apply(views);
     * }</pre>
     *
     * <p>The exchange is about the {@link #distinct} operations of each window, with counter, id
     * and delta; so the delta must depend on the id alone. A missed operation counts with the last
     * timestamp of its window. If the counters, which are told the window here, have forgotten a
     * part of it, the operation is late there, and not counted, since nobody knows whether it was.
     * So {@code within} of {@code counters} has to be longer than {@link #window}, {@link #ttl} and
     * {@link #resumeWithin} together. A retry that comes up to {@link #window} after {@code within}
     * may still be taken for one; one that only the peer got is taken for one if it comes within
     * {@code within}, less {@link #window} and the time that an exchange takes.
     *
     * @param counters with their selectors set
     * @param <I> type of the operations' ids
     */
    public static <T, K, I> Reconcile<T, MissedOperation<K, I>> state(
            IdempotentCounters<T, K> counters) {
        Reconcile<T, MissedOperation<K, I>> state = new Reconcile<>(counters.missedOperations());
        state.idType = counters::missedOperationType;
        state.windowTold = counters::correctionsAreOlder;
        return state.distinct();
    }

    /**
     * Starts a builder for a deduplication that runs in each replica. What only the peer saw counts
     * as seen here too if the {@link Reconciled#missed} are what the deduplication has {@link
     * Deduplicate#alsoSeen}. Then no duplicate passes where the readers of its output change from
     * one replica to the other.
     *
     * <p>A record that this replica never gets is not in its output, and one that comes later than
     * the repair is a duplicate here. So do this only where the outputs of both replicas are one to
     * those who read them. An id that was missed counts as seen at the last timestamp of its
     * window; {@code within} has to be as long as that of {@linkplain #state(IdempotentCounters)
     * counters}.
     *
     * @param deduplicate with its selector set; it is not changed
     */
    public static <T, K> Reconcile<T, K> state(Deduplicate<T, K> deduplicate) {
        Reconcile<T, K> state = new Reconcile<>(deduplicate.ids());
        state.idType = deduplicate::typeOfIds;
        return state.distinct();
    }

    /** The type of the ids, where Flink cannot find it out (generic lambdas). */
    public Reconcile<T, K> idType(TypeInformation<K> idType) {
        requireNonNull(idType, "idType");
        this.idType = unused -> idType;
        return this;
    }

    /**
     * How many copies of its id a record stands for: bytes, an amount, a count that was added up
     * before. Default 1. Copies of equal ids add up within a window; the larger sum is what both
     * sides end with. A record of 0 copies says nothing; one of fewer goes to {@link
     * Reconciled#late}; both are counted as {@code noCopies}.
     */
    public Reconcile<T, K> multiplicity(Multiplicity<T> multiplicity) {
        this.multiplicity = requireNonNull(multiplicity, "multiplicity");
        return this;
    }

    /**
     * Each id counts once in a window, however many records have it, in place of {@link
     * #multiplicity}: for what ignores repetitions anyway. The exchange is then about sets, and a
     * record that only one side got twice costs nothing. Give it to both replicas.
     */
    public Reconcile<T, K> distinct() {
        multiplicity = null;
        return this;
    }

    /** Required. The name under which savepoints keep the operator's state. */
    public Reconcile<T, K> uid(String uid) {
        this.uid = requireNonNull(uid, "uid");
        return this;
    }

    /** Required. The name of this side; the peer has another one. */
    public Reconcile<T, K> replica(String replica) {
        return set(ReconciliationOptions.REPLICA, replica);
    }

    /**
     * Required. The name of the other side. Messages of any other replica are refused, and counted:
     * exactly two replicas repair each other.
     */
    public Reconcile<T, K> peer(String peer) {
        return set(ReconciliationOptions.PEER, peer);
    }

    /** Required. Length of the tumbling windows of event time, from 1970 on. */
    public Reconcile<T, K> window(Duration window) {
        return set(ReconciliationOptions.WINDOW, window);
    }

    /** How differences are found. Default {@link DifferenceMethod#AUTO}. */
    public Reconcile<T, K> method(DifferenceMethod method) {
        return set(ReconciliationOptions.METHOD, method);
    }

    /**
     * False positive probability of the filters: about the share of the differences that the first
     * round misses and another round has to find. From 1e-8 to 0.25; each halving costs one bit per
     * element. Default 1e-4.
     */
    public Reconcile<T, K> falsePositiveProbability(double fpp) {
        return set(ReconciliationOptions.FALSE_POSITIVE_PROBABILITY, fpp);
    }

    /**
     * Bits of a multiplicity in the filters, from 2 to 32. Elements that both sides have more often
     * than this can count are sent in full, in every round. Default 8.
     */
    public Reconcile<T, K> counterBits(int counterBits) {
        return set(ReconciliationOptions.COUNTER_BITS, counterBits);
    }

    /**
     * Key groups, each with its own exchange: the maximum parallelism of the operator. More groups
     * make filters and repairs smaller, fewer make digests cheaper. Default 128.
     */
    public Reconcile<T, K> groups(int groups) {
        return set(ReconciliationOptions.GROUPS, groups);
    }

    /** Seed of checksums and filters. Any number, the same on both sides. Default 0. */
    public Reconcile<T, K> seed(long seed) {
        return set(ReconciliationOptions.SEED, seed);
    }

    /**
     * How long a closed window waits for the peer, and how long a finished one is remembered for a
     * peer that lacks the last answer. Only time in which this job runs counts. Default 1 hour.
     */
    public Reconcile<T, K> ttl(Duration ttl) {
        return set(ReconciliationOptions.TTL, ttl);
    }

    /**
     * How much longer than {@link #ttl} the elements of a closed window are kept. At its {@code
     * ttl} such a window is reported as {@code SUSPENDED}, with its counts as they are; when the
     * peer is back, its exchange goes on, and it is reported again. For a peer that may be down for
     * days: the elements wait in the state backend, within {@link #maxWaitingElements} and {@link
     * #maxWindows}. Give it to both replicas: a side that gives up ends the exchange for both. Only
     * time in which this job runs counts. Default 0, which gives the window up at its {@code ttl}.
     */
    public Reconcile<T, K> resumeWithin(Duration resumeWithin) {
        return set(ReconciliationOptions.RESUME_WITHIN, resumeWithin);
    }

    /**
     * How long the peer must be silent before a message is repeated with the next checkpoint;
     * doubled by each repetition, up to 64 times this. Default 1 minute.
     */
    public Reconcile<T, K> retryAfter(Duration retryAfter) {
        return set(ReconciliationOptions.RETRY_AFTER, retryAfter);
    }

    /**
     * Upper bound of a message, from 4 KiB to 1 MiB. Repairs are split; a filter that does not fit
     * ends its exchange, so choose enough {@link #groups}. Default 900 kB, for brokers that accept
     * a megabyte.
     */
    public Reconcile<T, K> maxMessage(MemorySize maxMessage) {
        return set(ReconciliationOptions.MAX_MESSAGE, maxMessage);
    }

    /**
     * How many elements of closed windows may wait for the peer in one key group. With more, the
     * oldest windows give up. Default 10 million.
     */
    public Reconcile<T, K> maxWaitingElements(long elements) {
        return set(ReconciliationOptions.MAX_WAITING_ELEMENTS, elements);
    }

    /**
     * In one key group, how many windows that the peer has closed before this side are remembered
     * with what the peer said. The peer has to repeat what it said about others. Default 1000.
     */
    public Reconcile<T, K> maxEarlyWindows(int windows) {
        return set(ReconciliationOptions.MAX_EARLY_WINDOWS, windows);
    }

    /**
     * How many windows of one key group are remembered, whether open, waiting or finished; each
     * takes some 500 bytes of heap. Beyond that, finished windows are forgotten before {@link
     * #ttl}; then open ones give up, furthest ahead first, or waiting ones, oldest first. Default
     * 10,000.
     */
    public Reconcile<T, K> maxWindows(int windows) {
        return set(ReconciliationOptions.MAX_WINDOWS, windows);
    }

    /**
     * How far ahead of the wall clock a time is believed, from 0. A record further ahead goes to
     * {@link Reconciled#late}, counted; a watermark further ahead neither closes windows nor passes
     * until it is believable. Default 1 hour.
     */
    public Reconcile<T, K> maxFuture(Duration maxFuture) {
        return set(ReconciliationOptions.MAX_FUTURE, maxFuture);
    }

    /**
     * The clock is unknown again after a restore, and the next watermark sets it, even to an
     * earlier time. For a job whose watermark has run ahead of its records, but not by {@link
     * #maxFuture} ahead of the wall clock. Windows that were closed stay closed.
     */
    public Reconcile<T, K> resetClock() {
        return set(ReconciliationOptions.RESET_CLOCK, true);
    }

    /** Also emits the repaired multisets of finished windows: {@link Reconciled#elements}. */
    public Reconcile<T, K> withElements() {
        return set(ReconciliationOptions.WITH_ELEMENTS, true);
    }

    /** Takes every option of {@link ReconciliationOptions} that {@code configuration} sets. */
    public Reconcile<T, K> configure(ReadableConfig configuration) {
        ReconciliationOptions.ALL.forEach(option -> copy(configuration, option));
        return this;
    }

    private <V> void copy(ReadableConfig configuration, ConfigOption<V> option) {
        configuration.getOptional(option).ifPresent(value -> set(option, value));
    }

    private <V> Reconcile<T, K> set(ConfigOption<V> option, V value) {
        options.set(option, requireNonNull(value, OptionException.inBuilder(option, null)));
        return this;
    }

    /**
     * Checks the options, as is done when the operators are applied.
     *
     * @throws OptionException naming option, bound, value and remedy
     */
    public void check() {
        ReconcileSettings unused = ReconcileSettings.of(options, 0);
    }

    /**
     * Adds the operators to the streams.
     *
     * @param records with timestamps and watermarks, which close the windows
     * @param fromPeer the peer's {@link Reconciled#messages}, in any order; anything else is
     *     refused, and counted
     * @throws IllegalArgumentException if an option is missing or out of range, without
     *     checkpoints, in BATCH execution, or if the selector cannot be serialized
     */
    public Reconciled<T, K> apply(DataStream<T> records, DataStream<byte[]> fromPeer) {
        Uid.require(uid);
        return apply(records, fromPeer, uid, options);
    }

    /**
     * Adds the operators for more than two replicas: one exchange with each peer, so that each pair
     * of replicas ends with the union of both, and all of them with the union of all, if what is
     * {@linkplain Reconciled#missed missed} is applied. Ids have to be {@link #distinct}: two peers
     * may repair the same copies, and their sum would be too much. Among N replicas each window
     * takes N - 1 exchanges here, and N - 1 times the state. No pair depends on a third replica.
     *
     * <p>The operators of a peer have the uid {@code <uid>-<peer>}.
     *
     * @param fromPeers the messages of each peer, by its name; a peer's {@link Reconciled#messages}
     *     for this replica, and no other's
     * @return what comes out of the exchange with each peer, by its name
     * @throws IllegalArgumentException as {@link #apply(DataStream, DataStream)}, or if {@link
     *     #peer} is set to a name that is not among them, or without {@link #distinct}
     */
    public Map<String, Reconciled<T, K>> apply(
            DataStream<T> records, Map<String, DataStream<byte[]>> fromPeers) {
        Uid.require(uid);
        if (fromPeers.isEmpty()) {
            throw new IllegalArgumentException(
                    "fromPeers must have the messages of at least one peer, but is empty.");
        }
        if (multiplicity != null) {
            throw new IllegalArgumentException(
                    "distinct is required with several peers, but is not set: two of them may"
                        + " repair the same copies of an id, and their sum would be too much. Call"
                        + " distinct(), or reconcile with one peer.");
        }
        options.getOptional(ReconciliationOptions.PEER)
                .filter(peer -> !fromPeers.containsKey(peer))
                .ifPresent(
                        peer -> {
                            throw new OptionException(
                                    ReconciliationOptions.PEER,
                                    " is '",
                                    peer,
                                    "', which is not among the peers ",
                                    new TreeSet<>(fromPeers.keySet()).toString(),
                                    ": leave it out, their names are enough.");
                        });
        Map<String, Reconciled<T, K>> byPeer = new TreeMap<>();
        new TreeMap<>(fromPeers)
                .forEach(
                        (peer, messages) -> {
                            Configuration ofPeer = new Configuration(options);
                            ofPeer.set(ReconciliationOptions.PEER, peer);
                            byPeer.put(peer, apply(records, messages, uid + "-" + peer, ofPeer));
                        });
        return byPeer;
    }

    private Reconciled<T, K> apply(
            DataStream<T> records, DataStream<byte[]> fromPeer, String uid, Configuration options) {
        StreamExecutionEnvironment env = records.getExecutionEnvironment();
        ReconcileOperatorFactory.requireCheckpoints(
                env.getCheckpointConfig().isCheckpointingEnabled(),
                env.getConfiguration().get(ExecutionOptions.RUNTIME_MODE)
                        == RuntimeExecutionMode.BATCH);
        TypeInformation<K> type = idType.apply(records.getType());
        KeySelector<T, K> selector = Closures.clean(env, "the selector of by(...)", idSelector);
        SerializerConfig config = records.getExecutionConfig().getSerializerConfig();
        IdHasher<K> hasher = IdHasher.of(type, config);
        if (hasher.scheme() == IdHasher.Scheme.UUID) {
            throw new IllegalArgumentException(
                    "by: replicas send each other ids, and those of type UUID would be written by"
                            + " Kryo: select id.toString(), or a tuple of its two longs.");
        }
        ReconcileSettings settings = ReconcileSettings.of(options, hasher.scheme().code());
        windowTold.accept(options.get(ReconciliationOptions.WINDOW));
        ElementIds<K> ids = new ElementIds<>(hasher, type.createSerializer(config));
        ReconcileOutputs.Tags<T, K> tags =
                ReconcileOutputs.tags(
                        records.getType(), type, options.get(ReconciliationOptions.WITH_ELEMENTS));
        SingleOutputStreamOperator<Tuple2<Integer, byte[]>> messages =
                fromPeer.flatMap(
                                new ReadMessages(settings),
                                Types.TUPLE(Types.INT, Types.PRIMITIVE_ARRAY(Types.BYTE)))
                        .uid(uid + "-messages")
                        .name("Reconcile messages: " + uid);
        SingleOutputStreamOperator<Repair<K>> repairs =
                records.keyBy(new ByGroup<>(selector, ids, settings.setup()), Types.INT)
                        .connect(messages.keyBy(message -> message.f0, Types.INT))
                        .transform(
                                "Reconcile",
                                ReconcileOutputs.repair(type),
                                new ReconcileOperatorFactory<>(
                                        new ReconcileOperator<>(
                                                settings,
                                                selector,
                                                ids,
                                                Closures.clean(env, "multiplicity", multiplicity),
                                                tags)))
                        .setMaxParallelism(settings.setup().groups())
                        .uid(uid)
                        .name("Reconcile: " + uid);
        return new Reconciled<>(uid, repairs, type, settings.setup(), tags);
    }
}
