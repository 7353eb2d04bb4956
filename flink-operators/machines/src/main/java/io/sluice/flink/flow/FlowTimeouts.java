/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.machine.StateClasses;
import io.sluice.flink.machine.StateTimes;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.annotation.Experimental;

/**
 * How long a flow may be idle before it is taken to have ended, by {@link IdleClass}. Immutable.
 *
 * <p>Time is cut into slices of {@code 1 / slices} of the timeout, the same for every flow. A flow
 * belongs to the slice of its last packet, and has timed out for a packet that is more than {@code
 * slices} slices later. So the time it may be idle is between the timeout and {@code 1 + 1 /
 * slices} times the timeout, and depends only on the times of its own packets: not on watermarks,
 * other flows or the store.
 *
 * @param opening for a handshake; Zeek waits 5 s for the answer to a SYN
 * @param open for connections, half-closed ones included; Zeek waits 5 min
 * @param closed for flows that have ended: how long what trails is absorbed; Zeek waits 5 s
 * @param slices 1 to {@value #MAX_SLICES}: more slices are more exact, and each costs a store of
 *     generations one more lookup
 */
@Experimental
public record FlowTimeouts(Duration opening, Duration open, Duration closed, int slices)
        implements Serializable {

    public static final int MAX_SLICES = 16;

    /** Longer timeouts are taken for a mistake in the unit. */
    public static final Duration MAX_TIMEOUT = Duration.ofDays(366);

    /** 30 s to connect, 5 min idle, 15 s for trailing packets; one slice each. */
    public static final FlowTimeouts DEFAULT =
            new FlowTimeouts(
                    Duration.ofSeconds(30), Duration.ofMinutes(5), Duration.ofSeconds(15), 1);

    public FlowTimeouts {
        check("opening", opening);
        check("open", open);
        check("closed", closed);
        if (slices < 1 || slices > MAX_SLICES) {
            throw new IllegalArgumentException(
                    "slices must be between 1 and " + MAX_SLICES + ", got " + slices);
        }
    }

    private static void check(String name, Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    name
                            + " must be between 1 ms and "
                            + MAX_TIMEOUT.toDays()
                            + " days, got "
                            + timeout);
        }
    }

    /** Length of the slices of a class in milliseconds, at least 1. */
    public long sliceMillis(IdleClass of) {
        return StateTimes.sliceMillis(timeout(of), slices);
    }

    private Duration timeout(IdleClass of) {
        return switch (of) {
            case OPENING -> opening;
            case OPEN -> open;
            case CLOSED -> closed;
        };
    }

    /** Returns what a store has to know: handshakes alone make room while they are the most. */
    StateTimes states() {
        List<StateClasses.Of> classes = new ArrayList<>();
        for (IdleClass of : IdleClass.values()) {
            classes.add(new StateClasses.Of(of.states(), timeout(of), of == IdleClass.CLOSED));
        }
        return new StateTimes(new StateClasses(classes), slices, IdleClass.OPENING.code());
    }

    /** The longest timeout in milliseconds, in whole slices. */
    long longestMillis() {
        long longest = 0;
        for (IdleClass of : IdleClass.values()) {
            longest = Math.max(longest, sliceMillis(of) * slices);
        }
        return longest;
    }

    /**
     * The next watermark after {@code watermark} that may time out further flows: the last
     * millisecond of the slice that ends first.
     */
    long nextSliceEnd(long watermark) {
        long least = Long.MAX_VALUE;
        for (IdleClass of : IdleClass.values()) {
            long slice = sliceMillis(of);
            least = Math.min(least, slice - Math.floorMod(watermark + 1, slice));
        }
        return watermark > Long.MAX_VALUE - least ? Long.MAX_VALUE : watermark + least;
    }
}
