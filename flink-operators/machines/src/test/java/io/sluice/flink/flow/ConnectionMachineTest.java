/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.TcpFlags.ACK;
import static io.sluice.flink.flow.TcpFlags.FIN;
import static io.sluice.flink.flow.TcpFlags.PSH;
import static io.sluice.flink.flow.TcpFlags.RST;
import static io.sluice.flink.flow.TcpFlags.SYN;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections as seen on the wire, and properties of all of them. */
class ConnectionMachineTest {

    private static final ConnectionMachine MACHINE = new ConnectionMachine(true);
    private static final int SYN_ACK = SYN | ACK;
    private static final int FIN_ACK = FIN | ACK;
    private static final int[] USUAL = {SYN, SYN_ACK, ACK, ACK | PSH, FIN_ACK, RST, RST | ACK};

    /** What happened to the flows of one pair of endpoints. */
    private static final class Seen {
        int state = ConnectionMachine.NONE;
        final List<ConnState> ends = new ArrayList<>();
        int begun;
        int both;
        int attempts;
        int completed;

        Seen packet(boolean fromLower, int flags) {
            int transition = MACHINE.transition(state, fromLower, flags);
            state = ConnectionMachine.nextState(transition);
            begun += ConnectionMachine.begins(transition) ? 1 : 0;
            both += ConnectionMachine.hasBoth(transition) ? 1 : 0;
            attempts += ConnectionMachine.isAttempt(transition) ? 1 : 0;
            completed += ConnectionMachine.completesHandshake(transition) ? 1 : 0;
            if (ConnectionMachine.ends(transition)) {
                ends.add(ConnectionMachine.end(transition));
            }
            return this;
        }

        ConnState standing() {
            return FlowStates.isClosed(state)
                    ? ends.get(ends.size() - 1)
                    : FlowStates.connState(state);
        }
    }

    /** Packets such as "o:S r:SA o:A": originator or responder, then the flags. */
    private static Seen run(String packets, boolean originatorIsLower) {
        Seen seen = new Seen();
        for (String packet : packets.split(" ", -1)) {
            seen.packet((packet.charAt(0) == 'o') == originatorIsLower, flags(packet.substring(2)));
        }
        return seen;
    }

    private static int flags(String letters) {
        int flags = 0;
        for (int i = 0; i < letters.length(); i++) {
            flags |= 1 << "FSRPAU".indexOf(letters.charAt(i));
        }
        return flags;
    }

    @ParameterizedTest
    @CsvSource({
        "S0, o:S",
        "S0, o:S o:S o:S",
        "S0, o:S o:A o:PA",
        "S1, o:S r:SA",
        "S1, o:S r:SA o:A o:PA r:A",
        "S1, o:S r:A",
        "SF, o:S r:SA o:A o:FA r:A r:FA o:A",
        "SF, o:S r:SA o:A r:FA o:FA r:A",
        "SF, o:S r:SA o:A o:FA r:FA r:RA",
        "REJ, o:S r:RA",
        "S2, o:S r:SA o:A o:FA r:A",
        "S3, o:S r:SA o:A r:FA o:A",
        "RSTO, o:S r:SA o:R",
        "RSTO, o:S r:SA o:A r:PA o:RA",
        "RSTR, o:S r:SA o:A r:R",
        "RSTR, o:S r:SA o:A o:FA r:R",
        "RSTOS0, o:S o:R",
        "RSTOS0, o:S o:A o:R",
        "RSTRH, r:SA r:R",
        "SH, o:S o:FA",
        "SH, o:S o:A o:PA o:FA",
        "SHR, r:SA r:FA",
        "SHR, r:SA r:PA r:FA",
        "OTH, r:SA",
        "OTH, o:A r:A",
        "OTH, o:A o:FA r:FA",
        "OTH, o:PA r:R",
        "S1, r:SA o:A",
        "S1, o:S r:S r:SA",
        "SF, r:SA o:S o:A o:FA r:FA"
    })
    void namesConnectionsAsZeekDoes(ConnState expected, String packets) {
        for (boolean originatorIsLower : new boolean[] {true, false}) {
            Seen seen = run(packets, originatorIsLower);
            assertThat(seen.standing()).isEqualTo(expected);
            assertThat(seen.begun).isEqualTo(1);
            assertThat(seen.ends.size()).isLessThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "o:S r:SA o:A o:FA r:R",
        "o:S r:SA o:A r:R o:FA",
        "o:S r:SA o:FA r:FA o:R o:R",
        "o:A r:FA o:R",
        "o:A o:FR",
        "o:FR",
        "o:S o:FA o:R"
    })
    void saysOnceThatAFlowHadFinAndRst(String packets) {
        assertThat(run(packets, true).both).isEqualTo(1);
        assertThat(run(packets, false).both).isEqualTo(1);
    }

    @Test
    void aSynAfterTheEndBeginsAnotherFlowUnlessTupleIsFlow() {
        Seen seen = run("o:S r:SA o:A o:FA r:FA o:A r:S o:SA r:A r:R", true);
        assertThat(seen.begun).isEqualTo(2);
        assertThat(seen.ends).containsExactly(ConnState.SF, ConnState.RSTO);
        ConnectionMachine byTuple = new ConnectionMachine(false);
        for (int state = FlowStates.CLOSED_FIN; state < FlowStates.COUNT; state++) {
            int transition = byTuple.transition(state, true, SYN);
            assertThat(ConnectionMachine.begins(transition)).isFalse();
            assertThat(ConnectionMachine.nextState(transition)).isEqualTo(state);
        }
    }

    @Test
    void aRepeatedSegmentChangesNothing() {
        for (int state = 0; state <= ConnectionMachine.NONE; state++) {
            for (int side = 0; side < 2; side++) {
                for (int flags = 0; flags < 256; flags++) {
                    int once = MACHINE.transition(state, side == 0, flags);
                    int after = ConnectionMachine.nextState(once);
                    int twice = MACHINE.transition(after, side == 0, flags);
                    assertThat(ConnectionMachine.nextState(twice))
                            .as("%s, side %s, flags %s", state, side, flags)
                            .isEqualTo(after);
                    assertThat(ConnectionMachine.begins(twice)).isFalse();
                    assertThat(ConnectionMachine.ends(twice)).isFalse();
                    assertThat(ConnectionMachine.hasBoth(twice)).isFalse();
                    assertThat(ConnectionMachine.isAttempt(twice)).isFalse();
                    assertThat(ConnectionMachine.completesHandshake(twice)).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "o:S, ATTEMPT, false",
        "r:SA o:S, ATTEMPT, false",
        "o:S r:SA o:A, COMPLETED, false",
        "o:S o:A, , false",
        "o:S o:A r:SA, , true",
        "o:S o:A r:SA o:A, COMPLETED, false",
        "o:S o:A r:A, COMPLETED, true",
        "o:S o:A r:FA, COMPLETED, true",
        "o:S r:A, COMPLETED, true",
        "o:S r:FA, COMPLETED, true",
        "o:S o:FA, , false",
        "o:S r:R, , true",
        "o:S r:SA, , true",
        "o:S o:R, , false",
        "o:S r:SA o:R, , false",
        "o:S r:SA r:R, , true",
        "r:SA r:R, , true",
        "o:A r:R, , false"
    })
    void saysWhatBecomesOfAnAttemptAndWhoSentThePacket(
            String packets, String says, boolean isReply) {
        for (boolean originatorIsLower : new boolean[] {true, false}) {
            int state = ConnectionMachine.NONE;
            int transition = 0;
            for (String packet : packets.split(" ", -1)) {
                boolean fromLower = (packet.charAt(0) == 'o') == originatorIsLower;
                transition = MACHINE.transition(state, fromLower, flags(packet.substring(2)));
                state = ConnectionMachine.nextState(transition);
            }
            assertThat(ConnectionMachine.isAttempt(transition)).isEqualTo("ATTEMPT".equals(says));
            assertThat(ConnectionMachine.completesHandshake(transition))
                    .isEqualTo("COMPLETED".equals(says));
            assertThat(ConnectionMachine.isReply(transition)).isEqualTo(isReply);
        }
    }

    @Test
    void everyStateIsReachedAndHasAName() {
        BitSet reached = new BitSet();
        List<Integer> open = new ArrayList<>(List.of(ConnectionMachine.NONE));
        while (!open.isEmpty()) {
            int state = open.remove(open.size() - 1);
            for (int side = 0; side < 2; side++) {
                for (int flags = 0; flags < 64; flags++) {
                    int next =
                            ConnectionMachine.nextState(
                                    MACHINE.transition(state, side == 0, flags));
                    if (!reached.get(next)) {
                        reached.set(next);
                        open.add(next);
                    }
                }
            }
        }
        assertThat(reached.cardinality()).isEqualTo(FlowStates.COUNT);
        assertThat(reached.stream().mapToObj(FlowStates::name)).doesNotHaveDuplicates();
    }

    @Test
    void sidesAreSymmetric() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 20_000; i++) {
            Seen one = new Seen();
            Seen other = new Seen();
            for (int packet = 0; packet < 12; packet++) {
                boolean lower = random.nextBoolean();
                int flags = USUAL[random.nextInt(USUAL.length)];
                one.packet(lower, flags);
                other.packet(!lower, flags);
            }
            assertThat(other.ends).isEqualTo(one.ends);
            assertThat(other.standing()).isEqualTo(one.standing());
        }
    }

    @Test
    void whateverComesAFlowEndsAtMostOnceAndIsAnsweredAtMostOnce() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 20_000; i++) {
            Seen seen = new Seen();
            for (int packet = 0; packet < 20; packet++) {
                seen.packet(random.nextBoolean(), random.nextInt(256));
                assertThat(seen.ends.size() + (FlowStates.isClosed(seen.state) ? 0 : 1))
                        .isEqualTo(seen.begun);
                assertThat(seen.both).isLessThanOrEqualTo(seen.begun);
                assertThat(seen.completed).isLessThanOrEqualTo(seen.attempts);
            }
        }
    }

    @Test
    void finishedHandshakesAreToldFromHalfOpenOnes() {
        assertThat(run("o:S r:SA o:A", true).completed).isEqualTo(1);
        assertThat(run("o:S r:SA", true).completed).isZero();
        assertThat(run("o:S r:SA o:R", true).completed).isZero();
        assertThat(run("o:S r:RA", true).completed).isZero();
    }

    @Test
    void oneSideAloneCompletesNoHandshakeWhateverItSends() {
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < 20_000; i++) {
            Seen seen = new Seen();
            boolean lower = random.nextBoolean();
            for (int packet = 0; packet < 12; packet++) {
                seen.packet(lower, USUAL[random.nextInt(USUAL.length)]);
            }
            assertThat(seen.completed).isZero();
        }
        assertThat(run("o:S o:A o:PA o:A", true).completed).isZero();
        assertThat(run("o:S o:A r:SA", true).completed).isZero();
        assertThat(run("o:S o:A r:SA o:A", true).completed).isEqualTo(1);
    }

    @Test
    void flagsThatContradictEachOtherAreIllegal() {
        int[] illegal = {
            0, SYN | FIN, SYN | RST, FIN | RST, FIN, FIN | PSH | TcpFlags.URG, 0xc0, SYN_ACK | FIN
        };
        for (int flags : illegal) {
            assertThat(TcpFlags.isIllegal(flags)).as("flags %s", flags).isTrue();
        }
        for (int flags : USUAL) {
            assertThat(TcpFlags.isIllegal(flags)).as("flags %s", flags).isFalse();
            assertThat(TcpFlags.isIllegal(flags | 0xc0)).as("flags %s", flags).isFalse();
        }
        assertThat(TcpFlags.isIllegal(FIN_ACK | PSH)).isFalse();
    }
}
