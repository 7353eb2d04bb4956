/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Made-up packets of many flows at the same time, by seed: whole ones, parts of them, nonsense. */
final class Traffic {

    /** One packet. */
    record Segment(long flow, boolean fromLower, int flags, long millis) {}

    private static final String[] SCRIPTS = {
        "SA oS rB oA oA rA oF rA rF oA",
        "SA oS rB oA rA rA rF oF oA",
        "RA oS rB oA rA oR",
        "RB oS rB oA oA oF rR oR",
        "RC oS rR",
        "S0 oS oS oS",
        "HA oS oA oA oA oF oA",
        "MA oA rA oA rA rA",
        "MB rA oA oF rF oA",
        "S1 oS rB oA rA oA rA oA rA"
    };

    private Traffic() {}

    /** {@code flows} flows that begin within {@code millis}, with packets by time. */
    static List<Segment> of(SplittableRandom random, int flows, long millis) {
        List<Segment> segments = new ArrayList<>();
        for (int i = 0; i < flows; i++) {
            long flow = random.nextLong();
            boolean originatorIsLower = random.nextBoolean();
            long at = random.nextLong(millis);
            long pause = 1 + random.nextLong(millis / 20);
            String[] packets = SCRIPTS[random.nextInt(SCRIPTS.length)].split(" ", -1);
            for (int p = 1; p < packets.length; p++) {
                boolean fromOriginator = packets[p].charAt(0) == 'o';
                int flags =
                        switch (packets[p].charAt(1)) {
                            case 'S' -> TcpFlags.SYN;
                            case 'B' -> TcpFlags.SYN | TcpFlags.ACK;
                            case 'F' -> TcpFlags.FIN | TcpFlags.ACK;
                            case 'R' -> TcpFlags.RST;
                            default -> TcpFlags.ACK;
                        };
                segments.add(new Segment(flow, fromOriginator == originatorIsLower, flags, at));
                at += random.nextLong(pause);
            }
        }
        segments.sort((a, b) -> Long.compare(a.millis(), b.millis()));
        return segments;
    }
}
