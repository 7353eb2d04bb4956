/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.util.List;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;

/**
 * The options of the {@link CascadeStateBackend}. All except {@link #DELEGATE}, {@link #STATES} and
 * {@link #MAP_STATES} may change between restores without affecting what is already stored; the
 * descriptions of these three say what may change.
 */
@PublicEvolving
public final class CascadeBackendOptions {

    /** Which backend holds everything that is not a membership state. */
    public static final ConfigOption<String> DELEGATE =
            ConfigOptions.key("state.backend.cascade.delegate")
                    .stringType()
                    .defaultValue("rocksdb")
                    .withDescription(
                            "The state backend that holds every other state and the timers:"
                                + " 'rocksdb' or 'hashmap'. It keeps its own options. A checkpoint"
                                + " is restored with the delegate that it was taken with.");

    /** Names of the states that become approximate. */
    public static final ConfigOption<List<String>> STATES =
            ConfigOptions.key("state.backend.cascade.states")
                    .stringType()
                    .asList()
                    .defaultValues(
                            "deduplicate-state", "already-emitted-state-boolean", "sluice_seen")
                    .withDescription(
                            "Names of the value states of a Boolean, of a row of one Boolean, or of"
                                + " a row without columns (accState of SELECT DISTINCT), that only"
                                + " say \"seen\" and may become approximate, separated by ';'. '*'"
                                + " stands for any characters. The default is the flags of Flink"
                                + " SQL's keep-first deduplication in processing time and in event"
                                + " time, and of Sluice's DEDUPLICATE. A state that is added here"
                                + " is moved into a filter at the next restore; one that is"
                                + " approximate in a checkpoint cannot become exact again.");

    /** Names of the map states that become approximate. */
    public static final ConfigOption<List<String>> MAP_STATES =
            ConfigOptions.key("state.backend.cascade.map-states")
                    .stringType()
                    .asList()
                    .noDefaultValue()
                    .withDescription(
                            "Names of the map states whose values are Booleans that only say"
                                + " \"seen\", or that hold the values of COUNT(DISTINCT)"
                                + " (distinctAcc_*), and that may become approximate, separated by"
                                + " ';'. '*' stands for any characters. None by default: a filter"
                                + " answers get(key) and contains(key), and takes put(key, true)"
                                + " and remove(key), but refuses what needs the keys of the map:"
                                + " isEmpty(), iteration and clear(). Keys are numbers, texts,"
                                + " bytes and other types of which Flink fixes the bytes, or tuples"
                                + " of numbers, texts and bytes; a state with other keys stays"
                                + " exact, and the log says so. As with"
                                + " state.backend.cascade.states, a state that is added here is"
                                + " moved into a filter, and cannot become exact again.");

    /** Names of the states that are kept on the heap first. */
    public static final ConfigOption<List<String>> HEAP_STATES =
            ConfigOptions.key("state.backend.cascade.heap-states")
                    .stringType()
                    .asList()
                    .defaultValues("waiting-to-emit-on-timer", "sluice_waiting")
                    .withDescription(
                            "Names of the value and map states that the delegate gets only as far"
                                + " as they do not fit on the heap, separated by ';'. '*' stands"
                                + " for any characters. They and the timers of their operator take"
                                + " up to state.backend.cascade.heap-memory; a key that comes when"
                                + " that is full stays with the delegate. Exact in either place."
                                + " Worth it where entries live for moments, or keys are few. The"
                                + " default is the rows that wait for the watermark in Flink SQL's"
                                + " keep-first deduplication in event time, and in Sluice's"
                                + " functions. States with a time-to-live or a default value stay"
                                + " with the delegate. With the hashmap delegate, this has no"
                                + " effect.");

    /** Memory for states that are kept on the heap first. */
    public static final ConfigOption<MemorySize> HEAP_MEMORY =
            ConfigOptions.key("state.backend.cascade.heap-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(64))
                    .withDescription(
                            "About how much of the JVM's heap each subtask of an operator may use"
                                    + " for the entries and timers of"
                                    + " state.backend.cascade.heap-states: some 100,000 rows of 100"
                                    + " bytes with 64 mb. Every checkpoint writes what is there. 0:"
                                    + " none, the delegate keeps all.");

    /** Probability that a key that was never seen is reported as seen. */
    public static final ConfigOption<Double> FALSE_POSITIVE_PROBABILITY =
            ConfigOptions.key("state.backend.cascade.false-positive-probability")
                    .doubleType()
                    .defaultValue(1e-6)
                    .withDescription(
                            "Upper bound of the probability that a membership state reports a key"
                                    + " as seen that never was, for any number of keys. Between 0"
                                    + " and 0.5. A MembershipStateDescriptor may carry its own.");

    /** The same probability, expressed as its cost. */
    public static final ConfigOption<Double> MAX_FALSE_DROPS_PER_DAY =
            ConfigOptions.key("state.backend.cascade.max-false-drops-per-day")
                    .doubleType()
                    .noDefaultValue()
                    .withDescription(
                            "Instead of state.backend.cascade.false-positive-probability: how many"
                                + " new keys a day one membership state may report as seen, on"
                                + " average, in all subtasks together. The probability is this"
                                + " number divided by state.backend.cascade.new-keys-per-day, which"
                                + " has to be set too, and less than 0.5 in any case. More than 0;"
                                + " 0.1 is one in ten days. A MembershipStateDescriptor may carry"
                                + " its own.");

    /** The number of keys that false drops per day refer to. */
    public static final ConfigOption<Long> NEW_KEYS_PER_DAY =
            ConfigOptions.key("state.backend.cascade.new-keys-per-day")
                    .longType()
                    .noDefaultValue()
                    .withDescription(
                            "How many new keys come to one membership state in a day, in all"
                                + " subtasks together, for"
                                + " state.backend.cascade.max-false-drops-per-day. At least 1. If"
                                + " more come, the probability stays as it is, and proportionally"
                                + " more of them are reported as seen.");

    /** Expected number of keys of a state. */
    public static final ConfigOption<Long> CAPACITY =
            ConfigOptions.key("state.backend.cascade.capacity")
                    .longType()
                    .defaultValue(10_000_000L)
                    .withDescription(
                            "A guess at the keys that one membership state will hold, in all"
                                + " subtasks together. Sets the length of the first fingerprints."
                                + " With more keys the probability stays, and each key takes some"
                                + " more bits: about three with ten times as many keys, five with a"
                                + " hundred times. What happens beyond that is set by"
                                + " state.backend.cascade.overflow-policy.");

    /** What a state does when it has outgrown its bits. */
    public static final ConfigOption<String> OVERFLOW_POLICY =
            ConfigOptions.key("state.backend.cascade.overflow-policy")
                    .stringType()
                    .defaultValue("forget-oldest")
                    .withDescription(
                            "What happens when a membership state has grown so far beyond"
                                    + " state.backend.cascade.capacity, a hundred times and more,"
                                    + " that even all bits of a fingerprint cannot keep the"
                                    + " probability. 'forget-oldest': the oldest keys are"
                                    + " forgotten, so that their duplicates pass, and the forgotten"
                                    + " keys are counted. 'raise-probability': nothing is"
                                    + " forgotten, and the metric falsePositiveBound rises. The job"
                                    + " never fails because of it.");

    /** How many keys are watched exactly. */
    public static final ConfigOption<Integer> SAMPLE_ONE_IN =
            ConfigOptions.key("state.backend.cascade.sample-one-in")
                    .intType()
                    .defaultValue(64)
                    .withDescription(
                            "One in this many keys of a membership state, chosen by its hash, is"
                                    + " also kept exactly, to measure how many new keys are"
                                    + " reported as seen: the metric measuredFpp. Between 1 and"
                                    + " 1,000,000; 0: none. A state whose sample is full watches"
                                    + " fewer keys, see state.backend.cascade.sample-memory, and"
                                    + " continues with the keys that it watches when this is"
                                    + " lowered.");

    /** Upper bound of the sample's memory. */
    public static final ConfigOption<MemorySize> SAMPLE_MEMORY =
            ConfigOptions.key("state.backend.cascade.sample-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(1))
                    .withDescription(
                            "Upper bound of the memory for the watched keys of one membership state"
                                + " in one subtask, outside the heap: some 48,000 keys with 1 mb."
                                + " Every checkpoint holds them. All states of a slot together have"
                                + " a 32nd of the filters' memory: each in turn gets this much, or"
                                + " half of what is left if that is less. With less than 16 kb"
                                + " nothing is watched, and the metric watchedOneIn is 0. Between"
                                + " 16 kb and 64 mb.");

    /** Time buckets of a state with TTL. */
    public static final ConfigOption<Integer> TTL_BUCKETS =
            ConfigOptions.key("state.backend.cascade.ttl-buckets")
                    .intType()
                    .defaultValue(8)
                    .withDescription(
                            "How many time buckets the time-to-live of a membership state is"
                                    + " divided into. A key is remembered at least for its"
                                    + " time-to-live and at most for (1 + 1/buckets) times as long;"
                                    + " each bucket has its own files.");

    /** Whether memory comes from Flink's managed memory. */
    public static final ConfigOption<Boolean> USE_MANAGED_MEMORY =
            ConfigOptions.key("state.backend.cascade.memory.managed")
                    .booleanType()
                    .defaultValue(true)
                    .withDescription(
                            "Whether page cache, write buffers, overviews and watched keys come"
                                    + " from the managed memory of the slot, shared with the"
                                    + " delegate. If false, every slot takes"
                                    + " 'state.backend.cascade.memory.fixed-per-slot' outside it.");

    /** Share of the managed memory. */
    public static final ConfigOption<Double> MEMORY_FRACTION =
            ConfigOptions.key("state.backend.cascade.memory.fraction")
                    .doubleType()
                    .defaultValue(0.5)
                    .withDescription(
                            "The filters' share of the slot's managed memory for state backends;"
                                    + " the delegate gets the rest. With the hashmap delegate,"
                                    + " which takes none, the filters get all of it.");

    /** Memory without managed memory. */
    public static final ConfigOption<MemorySize> FIXED_MEMORY =
            ConfigOptions.key("state.backend.cascade.memory.fixed-per-slot")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(128))
                    .withDescription(
                            "Memory of all filters of one slot when managed memory is not used or"
                                    + " the slot has none.");

    /** Size of one write buffer. */
    public static final ConfigOption<MemorySize> BUFFER_SIZE =
            ConfigOptions.key("state.backend.cascade.buffer-size")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(32))
                    .withDescription(
                            "Write buffers of one membership state in one subtask, outside the"
                                + " heap. All states of a slot together take a quarter of the"
                                + " filters' memory: each in turn gets this much, or half of what"
                                + " is left if that is less, but at least 256 kb. Larger buffers"
                                + " mean fewer, larger files and fewer merges.");

    /** Bits per key of the overview. */
    public static final ConfigOption<Integer> OVERVIEW_BITS =
            ConfigOptions.key("state.backend.cascade.overview-bits-per-key")
                    .intType()
                    .defaultValue(8)
                    .withDescription(
                            "Bits per key of the overview of a state, outside the heap. With it,"
                                    + " most new keys are recognised after reading one cache line."
                                    + " When it is full, a larger one is built in the background,"
                                    + " with room for half as many keys again or for the next write"
                                    + " buffers, whichever is more. Until it is full, each key has"
                                    + " more bits. 0: none.");

    /** Upper bound of the overview's memory. */
    public static final ConfigOption<MemorySize> OVERVIEW_MEMORY =
            ConfigOptions.key("state.backend.cascade.overview-memory")
                    .memoryType()
                    .defaultValue(MemorySize.ofMebiBytes(256))
                    .withDescription(
                            "Upper bound of the memory for the overview of one membership state in"
                                    + " one subtask, including the next overview while it is built:"
                                    + " 8 bits per key for some 100 million keys with 256 mb. All"
                                    + " states of a slot share half of the filters' memory equally."
                                    + " More keys get fewer bits each; with less than three bits"
                                    + " per key there is no overview.");

    /** Bits per key of the summaries of level files. */
    public static final ConfigOption<Integer> SUMMARY_BITS =
            ConfigOptions.key("state.backend.cascade.summary-bits-per-key")
                    .intType()
                    .noDefaultValue()
                    .withDescription(
                            "Bits per key, on the heap, of a summary of each level file. For a key"
                                + " that is not new, it avoids reading pages of files that do not"
                                + " have the key. This is worth the memory if there are many files,"
                                + " or if files are larger than the page cache and duplicates are"
                                + " frequent. 0: none. By default 8 for states with time-to-live,"
                                + " which have a file for each time bucket, otherwise none.");

    /** Merge policy. */
    public static final ConfigOption<String> MERGE_POLICY =
            ConfigOptions.key("state.backend.cascade.merge-policy")
                    .stringType()
                    .defaultValue("few-files")
                    .withDescription(
                            "'few-files' keeps at most four files and merges as little as that"
                                    + " allows; 'doubling' keeps levels of doubling size.");

    /** Merge threads. */
    public static final ConfigOption<Integer> MERGE_THREADS =
            ConfigOptions.key("state.backend.cascade.merge-threads")
                    .intType()
                    .defaultValue(2)
                    .withDescription("Threads of one slot that write and merge level files.");

    /** Rate limit. */
    public static final ConfigOption<MemorySize> WRITE_RATE =
            ConfigOptions.key("state.backend.cascade.write-rate-limit")
                    .memoryType()
                    .noDefaultValue()
                    .withDescription(
                            "The most bytes per second that the filters of one slot write to the"
                                    + " local disk. By default there is no limit.");

    /** Local directories. */
    public static final ConfigOption<String> LOCAL_DIRECTORIES =
            ConfigOptions.key("state.backend.cascade.local-dirs")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "Local directories for level files, separated by ',' or the platform's"
                                + " path separator. Each subtask takes one. By default the working"
                                + " directory of the TaskManager. Files that a killed TaskManager"
                                + " left here are removed when the next one starts.");

    /** Transfer threads. */
    public static final ConfigOption<Integer> TRANSFER_THREADS =
            ConfigOptions.key("state.backend.cascade.transfer-threads")
                    .intType()
                    .defaultValue(4)
                    .withDescription(
                            "Threads of one subtask that upload level files in a checkpoint and"
                                    + " download them in a restore.");

    private CascadeBackendOptions() {}
}
