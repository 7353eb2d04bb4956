/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.OptionException;
import io.sluice.flink.OptionRange;
import io.sluice.flink.reconcile.message.Setup;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * The validated options of {@link Reconcile}.
 *
 * @param setup must be the same for the peer
 * @param replica name of this side; the peer has another one
 * @param peer name of the other side, the only one whose messages are accepted
 * @param method how differences are found; the peer may use the other method
 * @param falsePositiveProbability of the filters, from 1e-8 to 0.25: about the share of the
 *     differences that a first round misses
 * @param counterBits of a filter's slot, from 2 to 32; larger multiplicities are sent in full
 * @param ttlMillis how long a closed window waits for the peer
 * @param resumeMillis how much longer it is kept, to go on when the peer is back; 0 gives it up
 * @param retryMillis how long the peer must be silent before a message is sent again; doubled by
 *     each retry
 * @param maxMessageBytes upper bound of a message, from 4 KiB to 1 MiB
 * @param maxWaitingElements of all closed windows of one key group that wait for the peer
 * @param maxEarlyWindows how many windows of one key group the peer may have closed before this
 *     side
 * @param maxWindows how many windows of one key group are remembered on the heap
 * @param maxFutureMillis how far ahead of the wall clock a timestamp or watermark is believed
 * @param resetClock whether the clock is unknown again after a restore
 */
record ReconcileSettings(
        Setup setup,
        String replica,
        String peer,
        DifferenceMethod method,
        double falsePositiveProbability,
        int counterBits,
        long ttlMillis,
        long resumeMillis,
        long retryMillis,
        int maxMessageBytes,
        long maxWaitingElements,
        int maxEarlyWindows,
        int maxWindows,
        long maxFutureMillis,
        boolean resetClock)
        implements Serializable {

    /** Rounds after which two sets are taken to be irreconcilable; two are usual, three rare. */
    static final int MAX_ROUNDS = 16;

    /** Names are in the state of every key group. */
    private static final int MAX_NAME_CHARS = 200;

    private static final OptionRange<Duration> WINDOW_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.WINDOW,
                    Duration.ofMillis(1),
                    null,
                    "give the event time that is reconciled together");

    private static final OptionRange<Integer> GROUPS_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.GROUPS,
                    1,
                    Setup.MAX_GROUPS,
                    "it is the maximum parallelism");

    private static final OptionRange<Double> FPP_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.FALSE_POSITIVE_PROBABILITY,
                    1e-8,
                    0.25,
                    "1e-4 sends one difference in ten thousand to a second round");

    private static final OptionRange<Integer> BITS_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.COUNTER_BITS,
                    CuckooShape.MIN_COUNTER_BITS,
                    CuckooShape.MAX_COUNTER_BITS,
                    "8 count to 255");

    private static final OptionRange<Duration> TTL_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.TTL,
                    Duration.ofMillis(1),
                    Duration.ofMillis(Long.MAX_VALUE / 4),
                    "give how long the peer may be down");

    private static final OptionRange<Duration> RESUME_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.RESUME_WITHIN,
                    Duration.ZERO,
                    Duration.ofMillis(Long.MAX_VALUE / 4),
                    "give how long the peer may be down beyond ttl");

    private static final OptionRange<Duration> RETRY_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.RETRY_AFTER,
                    Duration.ofMillis(1),
                    Duration.ofDays(1),
                    "give some checkpoint intervals");

    /** Elements lie in the parameters of an envelope, which are at most a mebibyte long. */
    private static final OptionRange<MemorySize> MESSAGE_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.MAX_MESSAGE,
                    MemorySize.parse("4 kb"),
                    MemorySize.ofMebiBytes(1),
                    "give what the broker accepts");

    private static final OptionRange<Long> WAITING_RANGE =
            new OptionRange<>(ReconciliationOptions.MAX_WAITING_ELEMENTS, 1L, null, "raise it");

    private static final OptionRange<Integer> EARLY_RANGE =
            new OptionRange<>(ReconciliationOptions.MAX_EARLY_WINDOWS, 1, null, "raise it");

    private static final OptionRange<Integer> WINDOWS_RANGE =
            new OptionRange<>(ReconciliationOptions.MAX_WINDOWS, 2, null, "raise it");

    private static final OptionRange<Duration> FUTURE_RANGE =
            new OptionRange<>(
                    ReconciliationOptions.MAX_FUTURE,
                    Duration.ZERO,
                    null,
                    "give how far ahead of the wall clock a time may be");

    ReconcileSettings {
        requireNonNull(setup, "setup");
        requireNonNull(method, "method");
        requireName(ReconciliationOptions.REPLICA, replica, "this side");
        requireName(ReconciliationOptions.PEER, peer, "the other side");
        if (replica.equals(peer)) {
            throw new OptionException(
                    ReconciliationOptions.REPLICA,
                    " and ",
                    ReconciliationOptions.PEER,
                    " must be two names, but both are '",
                    replica,
                    "': each side is the other's peer.");
        }
        FPP_RANGE.check(falsePositiveProbability);
        BITS_RANGE.check(counterBits);
        TTL_RANGE.check(Duration.ofMillis(ttlMillis));
        RESUME_RANGE.check(Duration.ofMillis(resumeMillis));
        RETRY_RANGE.check(Duration.ofMillis(retryMillis));
        MESSAGE_RANGE.check(new MemorySize(Math.max(0, maxMessageBytes)));
        WAITING_RANGE.check(maxWaitingElements);
        EARLY_RANGE.check(maxEarlyWindows);
        WINDOWS_RANGE.check(maxWindows);
        FUTURE_RANGE.check(Duration.ofMillis(maxFutureMillis));
    }

    /**
     * Returns the settings that a configuration has.
     *
     * @param scheme how ids are hashed
     * @throws OptionException if one is missing, out of range, or at odds with another
     */
    static ReconcileSettings of(ReadableConfig options, int scheme) {
        Duration window =
                options.getOptional(ReconciliationOptions.WINDOW)
                        .orElseThrow(
                                () ->
                                        new OptionException(
                                                ReconciliationOptions.WINDOW,
                                                " is required, but is not set: give the event time"
                                                        + " that is reconciled together."));
        WINDOW_RANGE.check(window);
        int groups = options.get(ReconciliationOptions.GROUPS);
        GROUPS_RANGE.check(groups);
        return new ReconcileSettings(
                new Setup(
                        window.toMillis(), groups, scheme, options.get(ReconciliationOptions.SEED)),
                options.getOptional(ReconciliationOptions.REPLICA).orElse(""),
                options.getOptional(ReconciliationOptions.PEER).orElse(""),
                options.get(ReconciliationOptions.METHOD),
                options.get(ReconciliationOptions.FALSE_POSITIVE_PROBABILITY),
                options.get(ReconciliationOptions.COUNTER_BITS),
                MILLISECONDS.convert(options.get(ReconciliationOptions.TTL)),
                MILLISECONDS.convert(options.get(ReconciliationOptions.RESUME_WITHIN)),
                MILLISECONDS.convert(options.get(ReconciliationOptions.RETRY_AFTER)),
                (int)
                        Math.min(
                                Integer.MAX_VALUE,
                                options.get(ReconciliationOptions.MAX_MESSAGE).getBytes()),
                options.get(ReconciliationOptions.MAX_WAITING_ELEMENTS),
                options.get(ReconciliationOptions.MAX_EARLY_WINDOWS),
                options.get(ReconciliationOptions.MAX_WINDOWS),
                MILLISECONDS.convert(options.get(ReconciliationOptions.MAX_FUTURE)),
                options.get(ReconciliationOptions.RESET_CLOCK));
    }

    private static void requireName(
            ConfigOption<String> option, @Nullable String name, String side) {
        if (name == null || name.isBlank()) {
            throw new OptionException(option, " is required: give the name of ", side, ".");
        }
        if (name.length() > MAX_NAME_CHARS) {
            throw new OptionException(
                    option,
                    " must have at most ",
                    MAX_NAME_CHARS,
                    " characters, but has ",
                    name.length(),
                    ": shorten it.");
        }
    }

    /** This side's name in messages. */
    long replicaHash() {
        return Hashing.hash(replica);
    }

    /** The other side's name in messages. */
    long peerHash() {
        return Hashing.hash(peer);
    }

    /** Each round has its own filters: what collides in one does not collide in the next. */
    long seedOf(int round) {
        return Hashing.combine(setup.seed(), round);
    }

    /**
     * Returns by how much the checksum of a multiset changes when an element has other copies. What
     * an element adds is not a multiple of its copies: a power of two in them would hide bits.
     *
     * @param before copies, 0 if it is new
     */
    long checksumChange(long hash, long before, long after) {
        long element = Hashing.combine(hash, setup.seed());
        long added = Hashing.combine(element, after);
        return before == 0 ? added : added - Hashing.combine(element, before);
    }

    /** Bytes of the slots of a filter for {@code elements}, computed without making one. */
    double filterBytes(long elements) {
        int fingerprintBits =
                CuckooSizing.fingerprintBits(falsePositiveProbability, CuckooSizing.LOAD);
        return CuckooSizing.bitsPerKey(fingerprintBits, counterBits, CuckooSizing.LOAD)
                * elements
                / Byte.SIZE;
    }
}
