/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.store.StateClasses;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A TCP connection is a machine like those of users, and is followed as one. */
class ConnectionDefinitionTest {

    private static Optional<String> end(int transition) {
        return ConnectionMachine.ends(transition)
                ? Optional.of(ConnectionMachine.end(transition).name())
                : Optional.empty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsDefinitionHasTheStatesEventsAndTransitionsOfTheTables(boolean reopens) {
        ConnectionMachine connection = new ConnectionMachine(reopens);
        MachineDefinition tcp = connection.definition();
        assertThat(tcp.initial()).isEqualTo(ConnectionMachine.NONE);
        assertThat(tcp.events()).hasSize(2 * TcpFlags.KINDS);
        for (int state = 0; state <= ConnectionMachine.NONE; state++) {
            for (int event = 0; event < tcp.events().size(); event++) {
                int transition = connection.transition(state, event);
                assertThat(tcp.event(TcpFlags.event(event))).isEqualTo(event);
                assertThat(tcp.next(state, event))
                        .isEqualTo(ConnectionMachine.nextState(transition));
                assertThat(tcp.output(state, event)).isEqualTo(end(transition));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void storesHoldTheStatesThatTheDefinitionHolds(boolean reopens) {
        MachineDefinition tcp = new ConnectionMachine(reopens).definition();
        StateClasses classes = FlowTimeouts.DEFAULT.states().classes();
        assertThat(classes.states()).isEqualTo(FlowStates.COUNT);
        for (int state = 0; state < classes.states(); state++) {
            assertThat(tcp.isHeld(state)).isTrue();
            assertThat(tcp.states().get(state)).isEqualTo(FlowStates.name(state));
            assertThat(tcp.isTerminal(state)).isEqualTo(FlowStates.isClosed(state));
            assertThat(classes.isTerminal(classes.codeOf(state)))
                    .isEqualTo(FlowStates.isClosed(state));
        }
    }
}
