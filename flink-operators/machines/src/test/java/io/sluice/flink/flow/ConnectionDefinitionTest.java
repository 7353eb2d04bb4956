/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.machine.MachineBuilder;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.store.StateClasses;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A TCP connection is a machine like those of users: its definition passes their checks. */
class ConnectionDefinitionTest {

    private static final String NONE = "none";

    /** Flags of one segment of each kind; in the order of the kinds. */
    private static final int[] FLAGS = {
        TcpFlags.ACK,
        TcpFlags.SYN,
        TcpFlags.SYN | TcpFlags.ACK,
        TcpFlags.FIN | TcpFlags.ACK,
        TcpFlags.RST,
        TcpFlags.FIN | TcpFlags.RST
    };

    private static String event(int flags, boolean fromLower) {
        return TcpFlags.kind(flags) + (fromLower ? "-lower" : "-upper");
    }

    private static String name(int state) {
        return state == ConnectionMachine.NONE ? NONE : FlowStates.name(state);
    }

    private static MachineDefinition definition(ConnectionMachine machine, FlowTimeouts timeouts) {
        MachineBuilder<String, String> builder = MachineDefinition.named("tcp").initial(NONE);
        StateClasses classes = timeouts.states().classes();
        for (int state = 0; state < FlowStates.COUNT; state++) {
            Duration ttl = classes.timeToLive(classes.codeOf(state));
            builder =
                    FlowStates.isClosed(state)
                            ? builder.terminal(name(state), ttl)
                            : builder.state(name(state), ttl);
        }
        for (int state = 0; state <= ConnectionMachine.NONE; state++) {
            for (int flags : FLAGS) {
                add(builder, machine, state, flags, true);
                add(builder, machine, state, flags, false);
            }
        }
        return builder.build();
    }

    private static void add(
            MachineBuilder<String, String> builder,
            ConnectionMachine machine,
            int state,
            int flags,
            boolean fromLower) {
        int transition = machine.transition(state, fromLower, flags);
        String event = event(flags, fromLower);
        String to = name(ConnectionMachine.nextState(transition));
        MachineBuilder<String, String> unused =
                ConnectionMachine.ends(transition)
                        ? builder.transition(
                                name(state), event, to, ConnectionMachine.end(transition).name())
                        : builder.transition(name(state), event, to);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsDefinitionHasTheStatesClassesAndTransitionsThatStoresAndOperatorUse(boolean reopens) {
        ConnectionMachine machine = new ConnectionMachine(reopens);
        MachineDefinition tcp = definition(machine, FlowTimeouts.DEFAULT);
        assertThat(tcp.classes()).isEqualTo(FlowTimeouts.DEFAULT.states().classes());
        assertThat(tcp.initial()).isEqualTo(ConnectionMachine.NONE);
        assertThat(tcp.events()).hasSize(2 * TcpFlags.KINDS);
        for (int state = 0; state <= ConnectionMachine.NONE; state++) {
            assertThat(tcp.states().get(state)).isEqualTo(name(state));
            for (int flags : FLAGS) {
                int transition = machine.transition(state, true, flags);
                int event = tcp.event(event(flags, true));
                assertThat(tcp.next(state, event))
                        .isEqualTo(ConnectionMachine.nextState(transition));
                assertThat(tcp.output(state, event).isPresent())
                        .isEqualTo(ConnectionMachine.ends(transition));
            }
        }
    }
}
