/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.flink.OptionRange;
import io.sluice.flink.machine.store.StateClasses;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreOptions;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;

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

    public static final int MAX_SLICES = StoreOptions.MAX_SLICES;

    /** Longer timeouts are taken for a mistake in the unit. */
    public static final Duration MAX_TIMEOUT = StoreOptions.MAX_TIME;

    /** The defaults of {@link FlowOptions}. */
    public static final FlowTimeouts DEFAULT = of(new Configuration());

    public FlowTimeouts {
        check(FlowOptions.OPENING_TIMEOUT, opening);
        check(FlowOptions.OPEN_TIMEOUT, open);
        check(FlowOptions.CLOSED_TIMEOUT, closed);
        FlowOptions.STORES.checkSlices(slices);
    }

    private static void check(ConfigOption<Duration> option, Duration timeout) {
        new OptionRange<>(
                        option,
                        Duration.ofMillis(1),
                        MAX_TIMEOUT,
                        "give how long such a flow may be idle")
                .check(timeout);
    }

    static FlowTimeouts of(ReadableConfig options) {
        return new FlowTimeouts(
                options.get(FlowOptions.OPENING_TIMEOUT),
                options.get(FlowOptions.OPEN_TIMEOUT),
                options.get(FlowOptions.CLOSED_TIMEOUT),
                options.get(FlowOptions.SLICES));
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
    @Internal
    public StateTimes states() {
        List<StateClasses.Of> classes = new ArrayList<>();
        for (IdleClass of : IdleClass.values()) {
            classes.add(new StateClasses.Of(of.states(), timeout(of), of == IdleClass.CLOSED));
        }
        return new StateTimes(new StateClasses(classes), slices, IdleClass.OPENING.code());
    }
}
