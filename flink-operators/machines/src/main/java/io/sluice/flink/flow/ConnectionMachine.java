/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static io.sluice.flink.flow.FlowStates.CLOSED_BOTH;
import static io.sluice.flink.flow.FlowStates.CLOSED_FIN;
import static io.sluice.flink.flow.FlowStates.CLOSED_RST;
import static io.sluice.flink.flow.FlowStates.ESTABLISHED;
import static io.sluice.flink.flow.FlowStates.HANDSHAKE;
import static io.sluice.flink.flow.FlowStates.MIDSTREAM;
import static io.sluice.flink.flow.FlowStates.MIDSTREAM_FIN;
import static io.sluice.flink.flow.FlowStates.ORIGINATOR_FIN;
import static io.sluice.flink.flow.FlowStates.ORIGINATOR_ONLY;
import static io.sluice.flink.flow.FlowStates.RESPONDER_FIN;
import static io.sluice.flink.flow.FlowStates.RESPONDER_ONLY;
import static io.sluice.flink.flow.FlowStates.SYN;
import static io.sluice.flink.flow.FlowStates.SYN_ACK;
import static io.sluice.flink.flow.TcpFlags.KIND_FIN;
import static io.sluice.flink.flow.TcpFlags.KIND_FIN_RST;
import static io.sluice.flink.flow.TcpFlags.KIND_OTHER;
import static io.sluice.flink.flow.TcpFlags.KIND_RST;
import static io.sluice.flink.flow.TcpFlags.KIND_SYN;
import static io.sluice.flink.flow.TcpFlags.KIND_SYN_ACK;

import io.sluice.flink.machine.MachineBuilder;
import io.sluice.flink.machine.MachineDefinition;
import java.time.Duration;
import org.apache.flink.annotation.Internal;

/**
 * What a segment does to the state of its flow: a {@link #definition machine} like those of users,
 * whose events are the kinds of segments from either side, and beside each of its transitions what
 * it means for the connection. Pure.
 *
 * <p>Sources: the connection states of RFC 9293 (section 3.3.2; RFC 793 before it), as seen by an
 * observer on the wire, and the meaning of {@code conn_state} in the Zeek manual
 * (base/protocols/conn). Sequence numbers are not followed: retransmissions change nothing because
 * each state absorbs what led to it.
 *
 * <p>A flow may be seen from one side only, from its middle on, or with losses. So a segment that
 * could not have been sent without another one stands for that one too: anything except RST and FIN
 * that a side sends after the other's SYN shows that the connection is established. Departures from
 * Zeek:
 *
 * <ul>
 *   <li>Flows without a SYN are {@link ConnState#OTH} whatever their end, as the manual says; Zeek
 *       itself calls some of them SF or SH.
 *   <li>SH and SHR end a flow. If only one side is seen, that FIN is the end.
 *   <li>A RST after both FIN leaves the flow SF: it was closed in order, and many stacks send one.
 *       {@link #hasBoth} tells that it had both.
 * </ul>
 *
 * <p>A flow is reported once, when it ends. Its closed state absorbs everything that trails except
 * a SYN, which begins a new connection of the same endpoints (RFC 9293, section 3.6.1). A SYN-ACK
 * after a FIN also begins one, whose SYN was not seen: the old SYN-ACK had been answered. After
 * only a RST it is taken for the old one, repeated by a responder that did not get the RST;
 * sequence numbers could tell, but are not examined.
 */
@Internal
public final class ConnectionMachine {

    /** Passed as the state if there is no flow yet. */
    public static final int NONE = FlowStates.COUNT;

    private static final int STATE_MASK = 31;
    private static final int END_SHIFT = 5;
    private static final int END_MASK = 15;
    private static final int BEGINS = 1 << 9;
    private static final int BOTH = 1 << 10;
    private static final int ATTEMPT = 1 << 11;
    private static final int ANSWERED = 1 << 12;

    /** INVARIANT: below the sign; a transition is a non-negative short. */
    private static final int REPLY = 1 << 13;

    /** A row has an entry for each kind and side. */
    private static final int ROW_SHIFT = 4;

    private static final int EVENTS = 2 * TcpFlags.KINDS;

    /** A definition has times; stores have those of their own. */
    private static final Duration ANY_TIME = Duration.ofMinutes(1);

    private final short[] table = new short[(FlowStates.COUNT + 1) << ROW_SHIFT];
    private final boolean reopens;
    private final MachineDefinition definition;

    /**
     * Makes the tables.
     *
     * @param reopens whether a SYN after the end begins a new flow. If not, all packets of the same
     *     endpoints are one flow, as in tools that only group by addresses and ports
     */
    public ConnectionMachine(boolean reopens) {
        this.reopens = reopens;
        for (int state = 0; state <= NONE; state++) {
            for (int kind = 0; kind < TcpFlags.KINDS; kind++) {
                table[index(state, kind, 0)] = (short) next(state, kind, 0);
                table[index(state, kind, 1)] = (short) next(state, kind, 1);
            }
        }
        definition = define();
    }

    /** States and events have the numbers that they have here. */
    private MachineDefinition define() {
        MachineBuilder<String, String> builder =
                MachineDefinition.named("tcp").initial(name(NONE)).timeToLive(ANY_TIME);
        for (int state = 0; state < NONE; state++) {
            builder =
                    FlowStates.isClosed(state)
                            ? builder.terminal(name(state), ANY_TIME)
                            : builder.state(name(state));
        }
        for (int event = 0; event < EVENTS; event++) {
            builder = builder.event(TcpFlags.event(event));
        }
        for (int state = 0; state <= NONE; state++) {
            for (int event = 0; event < EVENTS; event++) {
                int transition = transition(state, event);
                String to = name(nextState(transition));
                String of = TcpFlags.event(event);
                builder =
                        ends(transition)
                                ? builder.transition(name(state), of, to, end(transition).name())
                                : builder.transition(name(state), of, to);
            }
        }
        return builder.build();
    }

    private static String name(int state) {
        return state == NONE ? "none" : FlowStates.name(state);
    }

    /**
     * Returns the machine: its states are {@link FlowStates}, its initial state is {@link #NONE},
     * its events are those of {@link TcpFlags#event(boolean, int)}, its outputs say how a flow
     * ended. The times of its states are those of {@link FlowTimeouts}, which are not part of it.
     */
    public MachineDefinition definition() {
        return definition;
    }

    /**
     * What a segment does; the methods below decode it.
     *
     * @param state of the flow, or {@link #NONE}
     * @param event of {@link TcpFlags#event(boolean, int)}
     * @return at least 0
     */
    public int transition(int state, int event) {
        return table[state << ROW_SHIFT | event];
    }

    /** As {@link #transition(int, int)}, for a segment of a side with some flags. */
    public int transition(int state, boolean fromLower, int flags) {
        return transition(state, TcpFlags.event(fromLower, flags));
    }

    /** The state afterwards. */
    public static int nextState(int transition) {
        return transition & STATE_MASK;
    }

    /** Whether a flow ended: report it as {@link #end}. */
    public static boolean ends(int transition) {
        return (transition >> END_SHIFT & END_MASK) != 0;
    }

    /** How the flow ended; only if it {@link #ends}. */
    public static ConnState end(int transition) {
        return ConnState.ofCode((transition >> END_SHIFT & END_MASK) - 1);
    }

    /** Whether a flow began; if one {@link #ends} too, it ended first. */
    public static boolean begins(int transition) {
        return (transition & BEGINS) != 0;
    }

    /** Whether, with this segment and not before, the flow has had both a FIN and a RST. */
    public static boolean hasBoth(int transition) {
        return (transition & BOTH) != 0;
    }

    /** Whether a SYN asks for a connection, for the first time. */
    public static boolean isAttempt(int transition) {
        return (transition & ATTEMPT) != 0;
    }

    /**
     * Whether the segment shows that the originator completed the handshake that it asked for,
     * after the responder answered: a flood from made-up sources cannot do that. True at most once
     * for each {@link #isAttempt}.
     */
    public static boolean completesHandshake(int transition) {
        return (transition & ANSWERED) != 0;
    }

    /**
     * Whether the responder sent the segment. If not, the originator did, or it is not known which
     * side that is.
     */
    public static boolean isReply(int transition) {
        return (transition & REPLY) != 0;
    }

    private static int index(int state, int kind, int side) {
        return state << ROW_SHIFT | kind << 1 | side;
    }

    private static int ended(ConnState state, int closed) {
        return closed | (state.code() + 1) << END_SHIFT;
    }

    private int next(int state, int kind, int side) {
        if (state == NONE) {
            return BEGINS | first(kind, side);
        }
        if (state >= MIDSTREAM_FIN) {
            return withoutHandshake(state, kind, side);
        }
        boolean fromOriginator = (state & 1) == side;
        int originator = state & 1;
        int next =
                switch (state & ~1) {
                    case SYN -> syn(kind, fromOriginator, originator);
                    case SYN_ACK, RESPONDER_ONLY ->
                            responder(state, kind, fromOriginator, originator);
                    case ORIGINATOR_ONLY -> originatorOnly(state, kind, fromOriginator, originator);
                    default -> connected(state, kind, fromOriginator, originator);
                };
        return fromOriginator ? next : next | REPLY;
    }

    /** The first segment of a flow. */
    private static int first(int kind, int side) {
        return switch (kind) {
            case KIND_SYN -> ATTEMPT | SYN | side;
            case KIND_SYN_ACK -> REPLY | SYN_ACK | (side ^ 1);
            case KIND_FIN -> MIDSTREAM_FIN | side;
            case KIND_RST -> ended(ConnState.OTH, CLOSED_RST);
            case KIND_FIN_RST -> BOTH | ended(ConnState.OTH, CLOSED_BOTH);
            default -> MIDSTREAM;
        };
    }

    private static int syn(int kind, boolean fromOriginator, int originator) {
        return switch (kind) {
            // Its own SYN again, or a simultaneous one of the other side: the reply is still to
            // come.
            case KIND_SYN -> SYN | originator;
            case KIND_SYN_ACK -> (fromOriginator ? SYN : HANDSHAKE) | originator;
            case KIND_FIN ->
                    fromOriginator
                            ? ended(ConnState.SH, CLOSED_FIN)
                            : ANSWERED | RESPONDER_FIN | originator;
            case KIND_RST, KIND_FIN_RST ->
                    reset(kind, fromOriginator ? ConnState.RSTOS0 : ConnState.REJ, false);
            default -> (fromOriginator ? ORIGINATOR_ONLY : ANSWERED | ESTABLISHED) | originator;
        };
    }

    private static int responder(int state, int kind, boolean fromOriginator, int originator) {
        if (!fromOriginator) {
            return switch (kind) {
                case KIND_FIN -> ended(ConnState.SHR, CLOSED_FIN);
                case KIND_RST, KIND_FIN_RST -> reset(kind, ConnState.RSTRH, false);
                case KIND_OTHER -> RESPONDER_ONLY | originator;
                default -> state;
            };
        }
        return switch (kind) {
            case KIND_SYN ->
                    state == (SYN_ACK | originator)
                            ? ATTEMPT | HANDSHAKE | originator
                            : ESTABLISHED | originator;
            case KIND_SYN_ACK -> state;
            case KIND_FIN -> ORIGINATOR_FIN | originator;
            case KIND_RST, KIND_FIN_RST -> reset(kind, ConnState.RSTO, false);
            default -> ESTABLISHED | originator;
        };
    }

    private static int originatorOnly(int state, int kind, boolean fromOriginator, int originator) {
        if (fromOriginator) {
            return switch (kind) {
                case KIND_FIN -> ended(ConnState.SH, CLOSED_FIN);
                case KIND_RST, KIND_FIN_RST -> reset(kind, ConnState.RSTOS0, false);
                default -> state;
            };
        }
        return switch (kind) {
            case KIND_SYN -> state;
            // It may answer a made-up SYN: what the originator sends next decides.
            case KIND_SYN_ACK -> HANDSHAKE | originator;
            case KIND_FIN -> ANSWERED | RESPONDER_FIN | originator;
            case KIND_RST, KIND_FIN_RST -> reset(kind, ConnState.RSTR, false);
            default -> ANSWERED | ESTABLISHED | originator;
        };
    }

    /** Both sides seen after a SYN: from the handshake to the first FIN. */
    private static int connected(int state, int kind, boolean fromOriginator, int originator) {
        boolean handshake = (state & ~1) == HANDSHAKE;
        int answered = handshake && fromOriginator ? ANSWERED : 0;
        int awaitedFin = fromOriginator ? RESPONDER_FIN : ORIGINATOR_FIN;
        boolean oneFin = (state & ~1) == ORIGINATOR_FIN || (state & ~1) == RESPONDER_FIN;
        return switch (kind) {
            case KIND_FIN -> {
                if (!oneFin) {
                    yield answered | (fromOriginator ? ORIGINATOR_FIN : RESPONDER_FIN) | originator;
                }
                yield (state & ~1) == awaitedFin ? ended(ConnState.SF, CLOSED_FIN) : state;
            }
            case KIND_RST, KIND_FIN_RST ->
                    reset(kind, fromOriginator ? ConnState.RSTO : ConnState.RSTR, oneFin);
            case KIND_OTHER -> answered | (answered != 0 ? ESTABLISHED | originator : state);
            default -> state;
        };
    }

    private static int reset(int kind, ConnState end, boolean hadFin) {
        boolean both = hadFin || kind == KIND_FIN_RST;
        return both ? BOTH | ended(end, CLOSED_BOTH) : ended(end, CLOSED_RST);
    }

    /** From the middle of a connection, or after its end. */
    private int withoutHandshake(int state, int kind, int side) {
        boolean opens = kind == KIND_SYN || kind == KIND_SYN_ACK;
        if (FlowStates.isClosed(state)) {
            return closed(state, kind, side);
        }
        if (state == MIDSTREAM) {
            // A SYN that came late, or that begins a new connection after an abandoned one: either
            // way the flow is taken to begin here, and is not reported twice.
            return first(kind, side);
        }
        if (opens) {
            return reopens ? BEGINS | ended(ConnState.OTH, 0) | first(kind, side) : state;
        }
        return switch (kind) {
            case KIND_FIN ->
                    state == (MIDSTREAM_FIN | side) ? state : ended(ConnState.OTH, CLOSED_FIN);
            case KIND_RST, KIND_FIN_RST -> reset(kind, ConnState.OTH, true);
            default -> state;
        };
    }

    private int closed(int state, int kind, int side) {
        boolean fin = kind == KIND_FIN || kind == KIND_FIN_RST;
        boolean rst = kind == KIND_RST || kind == KIND_FIN_RST;
        // The responder may have missed the RST, and repeats its SYN-ACK.
        boolean anew = kind == KIND_SYN || (kind == KIND_SYN_ACK && state != CLOSED_RST);
        if (anew && reopens) {
            return BEGINS | first(kind, side);
        }
        if ((state == CLOSED_FIN && rst) || (state == CLOSED_RST && fin)) {
            return BOTH | CLOSED_BOTH;
        }
        return state;
    }
}
