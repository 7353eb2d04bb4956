/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.flow.Address;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * An attack has begun, or is over. Each attack gives one alert when it is noticed, and one when it
 * has been quiet for a while; the first has the numbers of one window, the second those of the
 * whole attack.
 *
 * <p>In SQL it has the columns of the second constructor, with enums and addresses as text.
 */
@Experimental
@TypeInfo(AttackTypes.OfAttackAlert.class)
public final class AttackAlert {
    private final AttackKind kindValue;
    private final String kind;
    private final boolean raised;
    private final Address addressValue;
    private final int port;
    private final long attempts;
    private final long completed;
    private final long refused;
    private final long targets;
    private final long firstMillis;
    private final long millis;

    /** Made when the column is first read; every thread would make the same text. */
    private @Nullable String address;

    /**
     * @param kind what it is
     * @param raised whether it has begun; if not, it is over
     * @param address the host that is flooded, or that scans
     * @param port that is flooded; -1 for a scan
     * @param attempts to connect
     * @param completed handshakes among them
     * @param refused attempts among them
     * @param targets of a scan: services asked within a window (when it is over, the most in any
     *     window), an estimate with a standard error of 4.9 %, exact up to 32; 0 for a flood
     * @param firstMillis event time of the first of the attempts
     * @param millis event time up to which attempts were examined
     */
    public AttackAlert(
            AttackKind kind,
            boolean raised,
            Address address,
            int port,
            long attempts,
            long completed,
            long refused,
            long targets,
            long firstMillis,
            long millis) {
        this.kindValue = requireNonNull(kind, "kind");
        this.kind = kind.name();
        this.raised = raised;
        this.addressValue = requireNonNull(address, "address");
        this.port = port;
        this.attempts = attempts;
        this.completed = completed;
        this.refused = refused;
        this.targets = targets;
        this.firstMillis = firstMillis;
        this.millis = millis;
    }

    /** The same from the columns, as SQL gives them. */
    public AttackAlert(
            String kind,
            boolean raised,
            String address,
            int port,
            long attempts,
            long completed,
            long refused,
            long targets,
            long firstMillis,
            long millis) {
        this(
                AttackKind.valueOf(kind),
                raised,
                Address.parse(address),
                port,
                attempts,
                completed,
                refused,
                targets,
                firstMillis,
                millis);
    }

    public AttackKind kind() {
        return kindValue;
    }

    public boolean raised() {
        return raised;
    }

    public Address address() {
        return addressValue;
    }

    public int port() {
        return port;
    }

    public long attempts() {
        return attempts;
    }

    public long completed() {
        return completed;
    }

    public long refused() {
        return refused;
    }

    public long targets() {
        return targets;
    }

    public long firstMillis() {
        return firstMillis;
    }

    public long millis() {
        return millis;
    }

    /** {@link #kind} as text: the column. */
    public String getKind() {
        return kind;
    }

    /** {@link #address} as text: the column. */
    public String getAddress() {
        if (address == null) {
            address = addressValue.toString();
        }
        return address;
    }

    private Object[] values() {
        return new Object[] {
            kindValue,
            raised,
            addressValue,
            port,
            attempts,
            completed,
            refused,
            targets,
            firstMillis,
            millis
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AttackAlert that && Arrays.equals(values(), that.values());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values());
    }

    @Override
    public String toString() {
        return "AttackAlert" + Arrays.toString(values());
    }
}
