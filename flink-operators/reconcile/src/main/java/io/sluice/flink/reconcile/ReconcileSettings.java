/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.cuckoo.CuckooSizing;
import io.sluice.filter.hash.Hashing;
import io.sluice.flink.reconcile.message.Setup;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.Nullable;

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

    private static final double MIN_FPP = 1e-8;
    private static final double MAX_FPP = 0.25;
    private static final int MIN_MESSAGE_BYTES = 4 << 10;

    /** Elements lie in the parameters of an envelope, which are at most this long. */
    private static final int MAX_MESSAGE_BYTES = 1 << 20;

    ReconcileSettings {
        requireNonNull(setup, "setup");
        requireNonNull(method, "method");
        requireName("replica", replica, "this side");
        requireName("peer", peer, "the other side");
        if (replica.equals(peer)) {
            throw new IllegalArgumentException(
                    "replica and peer must be two names, but both are '"
                            + replica
                            + "': each side is the other's peer");
        }
        if (!(falsePositiveProbability >= MIN_FPP && falsePositiveProbability <= MAX_FPP)) {
            throw new IllegalArgumentException(
                    "falsePositiveProbability must be from "
                            + MIN_FPP
                            + " to "
                            + MAX_FPP
                            + ", but is "
                            + falsePositiveProbability);
        }
        within(
                "counterBits",
                counterBits,
                CuckooShape.MIN_COUNTER_BITS,
                CuckooShape.MAX_COUNTER_BITS);
        within("ttl in ms", ttlMillis, 1, Long.MAX_VALUE / 4);
        within("retryAfter in ms", retryMillis, 1, Duration.ofDays(1).toMillis());
        within("maxMessageBytes", maxMessageBytes, MIN_MESSAGE_BYTES, MAX_MESSAGE_BYTES);
        within("maxWaitingElements", maxWaitingElements, 1, Long.MAX_VALUE);
        within("maxEarlyWindows", maxEarlyWindows, 1, Integer.MAX_VALUE);
        within("maxWindows", maxWindows, 2, Integer.MAX_VALUE);
        within("maxFuture in ms", maxFutureMillis, 0, Long.MAX_VALUE);
    }

    private static void requireName(String option, @Nullable String name, String side) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException(
                    option
                            + " is required: call "
                            + option
                            + "(\"name\") with the name of "
                            + side);
        }
        if (name.length() > MAX_NAME_CHARS) {
            throw new IllegalArgumentException(
                    option
                            + " must have at most "
                            + MAX_NAME_CHARS
                            + " characters, but has "
                            + name.length());
        }
    }

    private static void within(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be from " + least + " to " + most + ", but is " + value);
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

    /** What an element adds to the checksum, for each of its copies. */
    long checksumOf(long hash) {
        return Hashing.combine(hash, setup.seed());
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
