/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.SideOutputs;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StoreSizing;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.SortedInputFactory;
import io.sluice.flink.runtime.StreamKey;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;

/**
 * Follows a state machine for each key of a stream, and reports what happens to it.
 *
 * <pre>{@code
 * SingleOutputStreamOperator<MachineReport> reports = Machines.by(Order::id)
 *         .uid("orders")
 *         .machine(definition)
 *         .event(Order::type)
 *         .illegal(ILLEGAL)
 *         .apply(orders);
 * DataStream<MachineReport> illegal = reports.getSideOutput(ILLEGAL);
 * }</pre>
 *
 * <p>The guarantee with the exact store: <em>what is reported of a key depends only on its events
 * in their order and their times, across failure, restore and rescaling, and each transition is
 * reported once</em>; for events behind the watermark, also on how far behind they are. With
 * fingerprints the same holds except where machines share one, which {@link #errorProbability}
 * bounds. With the key-value filter the same holds except for the error of the filter, which is
 * counted where it can be seen ({@link MachineMetrics}: ambiguous, refused). With either, machines
 * that time out, or are open at the end of the input, are known only by number.
 *
 * <p>A machine may be idle for between the time-to-live of its state and {@code 1 + 1 / slices}
 * times that. An illegal event changes nothing: the state stays, and so does the time of last use.
 *
 * <p>Time of what is emitted: the time of the event or, for a machine that timed out, when its
 * time-to-live was over. If a watermark has passed that already, the record has the time just after
 * the watermark, so that it is not late downstream; {@link MachineReport#millis} has the time
 * itself. In processing time the downtime of a job counts.
 *
 * <p>At the end of the input, which includes {@code stop --drain}, open machines are reported
 * before the last watermark; they are still held.
 *
 * <p>A restore takes machines over by the names of their states. A state that the definition does
 * not have any more is refused by its name, unless {@link #renamed} names its successor. The filter
 * cannot change its states.
 *
 * <p>In BATCH execution Flink sorts the input by key and by timestamp. Machines are then followed
 * exactly, one after the other, whatever the store; {@code memory}, {@code maxFuture} and {@code
 * onLate} have no effect. Events of one key in one millisecond have no order there.
 *
 * @param <T> type of the records
 * @param <K> type of the keys
 */
@Experimental
public final class Machines<T, K> extends FollowingBuilder<T, Machines<T, K>> {

    private final KeySelector<T, K> keySelector;
    private final Map<String, String> renamed = new TreeMap<>();
    private @Nullable TypeInformation<K> keyType;
    private @Nullable MachineDefinition machine;
    private @Nullable EventSelector<T> eventSelector;
    private @Nullable OutputTag<MachineReport> illegal;

    private Machines(KeySelector<T, K> keySelector) {
        super(MachineOptions.STORES, MachineOptions.ALL);
        this.keySelector = keySelector;
    }

    /** Starts a builder. {@code keySelector} must be deterministic, and never give null. */
    public static <T, K> Machines<T, K> by(KeySelector<T, K> keySelector) {
        return new Machines<>(requireNonNull(keySelector, "keySelector"));
    }

    @Override
    protected Machines<T, K> self() {
        return this;
    }

    /** Sets the type of the keys, where Flink cannot find it out (generic lambdas). */
    public Machines<T, K> keyType(TypeInformation<K> keyType) {
        this.keyType = requireNonNull(keyType, "keyType");
        return this;
    }

    /** Required. Sets the machine that each key has. */
    public Machines<T, K> machine(MachineDefinition machine) {
        this.machine = requireNonNull(machine, "machine");
        return this;
    }

    /** Required. Sets how the event is read out of a record. */
    public Machines<T, K> event(EventSelector<T> eventSelector) {
        this.eventSelector = requireNonNull(eventSelector, "eventSelector");
        return this;
    }

    /**
     * Sets what goes to the main output. Default: outputs of transitions, and how machines ended:
     * {@link Kind#OUTPUT}, {@link Kind#FINISHED}, {@link Kind#TIMED_OUT} and {@link Kind#OPEN}. A
     * transition is reported once, as the most special of these kinds; {@link Kind#FIRST} is a
     * report of its own before it.
     */
    public Machines<T, K> emit(Kind... kinds) {
        return set(MachineOptions.EMIT, List.of(kinds));
    }

    /** Sets where illegal events are reported. Default: nowhere; they are still counted. */
    public Machines<T, K> illegal(OutputTag<MachineReport> tag) {
        this.illegal = SideOutputs.plain(requireNonNull(tag, "tag"));
        return this;
    }

    /**
     * Sets the clock of times-to-live. Default {@link TimeDomain#EVENT}. Fixed once there is a
     * savepoint.
     */
    public Machines<T, K> timeDomain(TimeDomain timeDomain) {
        return set(WindowedOptions.TIME_DOMAIN, timeDomain);
    }

    /**
     * Sets into how many slices times-to-live are cut, 1 to 16. Default 1: a machine may be idle
     * for up to twice its time-to-live. Each slice costs the key-value filter a lookup.
     */
    public Machines<T, K> slices(int slices) {
        return set(MachineOptions.SLICES, slices);
    }

    /**
     * Sets the share of events that may be answered with a wrong state, or not at all, 1e-9 to 0.1.
     * Unless {@link #store} names one, the store is the one that takes the least memory for that
     * and for {@link #expecting}; the log has the choice and its reason. Default: the store is the
     * exact one, and fingerprints that are named are made for 1e-4.
     */
    public Machines<T, K> errorProbability(double probability) {
        return set(MachineOptions.ERROR_PROBABILITY, probability);
    }

    /** Sets the bits of a full key-value filter for each machine. Default 96. */
    public Machines<T, K> bitsPerMachine(double bits) {
        return set(MachineOptions.BITS_PER_MACHINE, bits);
    }

    /** Sets the seed of the hash of keys, a secret unless it is 0, which is the default. */
    public Machines<T, K> hashSeed(long seed) {
        return set(WindowedOptions.HASH_SEED, seed);
    }

    /**
     * Names the successor of a state that the definition does not have any more: a restore puts its
     * machines there. A successor that is not held forgets them. A state that is still held is
     * refused, since each restore would move its machines, also that after a failure.
     */
    public Machines<T, K> renamed(String former, String present) {
        renamed.put(requireNonNull(former, "former"), requireNonNull(present, "present"));
        return this;
    }

    /**
     * Checks the options, as is done when the operator is applied.
     *
     * @throws io.sluice.flink.OptionException naming option, bound, value and remedy
     * @throws IllegalArgumentException if the machine or the event is not set
     */
    public void check() {
        MachineSettings unused = settings();
    }

    /**
     * Returns what the machines of a job take, by {@link #expecting}. No event is needed.
     *
     * @param parallelism subtasks, at least 1
     * @param maxParallelism key groups, at least as many as subtasks
     * @throws IllegalArgumentException if an option is out of range, or the machine is not set
     */
    @Internal
    public StoreSizing sizing(int parallelism, int maxParallelism) {
        return new StoreSizing(machineSettings().stores(), parallelism, maxParallelism);
    }

    private MachineSettings settings() {
        requireSet(eventSelector, "event", "say how the event is read out of a record");
        if (options().get(WindowedOptions.TIME_DOMAIN) == TimeDomain.PROCESSING) {
            late().requireForward("in processing time, no event is");
        }
        return machineSettings();
    }

    private MachineSettings machineSettings() {
        return MachineSettings.of(
                requireSet(machine, "machine", "give the definition of the machine"),
                renamed,
                options(),
                illegal);
    }

    private static <V> V requireSet(@Nullable V value, String option, String remedy) {
        if (value == null) {
            throw new IllegalArgumentException(
                    option + " is required, but is not set: " + remedy + ".");
        }
        return value;
    }

    /**
     * Adds the operator to the stream.
     *
     * @throws IllegalArgumentException if an option is missing or out of range; if equal keys of
     *     their type may be unequal bytes; if a function cannot be serialized
     */
    public SingleOutputStreamOperator<MachineReport> apply(DataStream<T> records) {
        String stableUid = requireUid();
        MachineSettings settings = settings();
        StreamExecutionEnvironment environment = records.getExecutionEnvironment();
        StoreSizing.warnAtConstruction(settings.stores(), stableUid, environment);
        TypeInformation<K> type =
                keyType != null
                        ? keyType
                        : TypeExtractor.getKeySelectorTypes(keySelector, records.getType());
        IdHasher<K> hasher =
                IdHasher.of(
                        "key",
                        type,
                        records.getExecutionConfig().getSerializerConfig(),
                        options().get(WindowedOptions.HASH_SEED));
        MachineInput<T, K> input =
                new MachineInput<>(
                        Closures.clean(environment, "the key's selector", keySelector),
                        hasher,
                        Closures.clean(environment, "the event's selector", eventSelector));
        return StreamKey.keyBy(records, input.keys(), hasher)
                .transform(
                        "Machines",
                        MachineReport.TYPE,
                        new SortedInputFactory<>(
                                new MachineOperator<>(input, settings, late()),
                                new SortedMachineOperator<>(input, settings)))
                .uid(stableUid)
                .name("Machines: " + stableUid);
    }
}
