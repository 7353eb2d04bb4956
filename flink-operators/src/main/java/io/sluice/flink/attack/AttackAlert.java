/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Address;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * An attack has begun, or is over. Of each there is one alert when it is noticed, and one when
 * there was none for a while; the numbers of the first are those of a window, of the second of all
 * of it.
 *
 * @param kind what it is
 * @param raised whether it has begun; if not, it is over
 * @param address who is flooded, or who scans
 * @param port that is flooded; -1 for a scan
 * @param attempts to connect
 * @param completed handshakes among them
 * @param refused attempts among them
 * @param targets of a scan: services asked within a window (the most of all windows when it is
 *     over), an estimate with a standard error of 4.9 %, exact up to 32; 0 for a flood
 * @param firstMillis event time of the first of the attempts
 * @param millis event time until which was looked
 */
@TypeInfo(AttackTypes.OfAttackAlert.class)
public record AttackAlert(
        AttackKind kind,
        boolean raised,
        Address address,
        int port,
        long attempts,
        long completed,
        long refused,
        long targets,
        long firstMillis,
        long millis) {}
