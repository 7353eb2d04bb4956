/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.machine;

import io.sluice.flink.flow.ConnectionMachine;
import io.sluice.flink.machine.MachineDefinition;

/** The machines that are followed: few states, states that are held after the end, many states. */
enum MachineWorkload {
    logins {
        @Override
        MachineDefinition define() {
            return MachineDefinition.parse(LOGINS, name());
        }
    },

    orders {
        @Override
        MachineDefinition define() {
            return MachineDefinition.parse(ORDERS, name());
        }
    },

    tcp {
        @Override
        MachineDefinition define() {
            return new ConnectionMachine(true).definition();
        }
    };

    /** The text of the first one. */
    static final String LOGINS =
            """
            machine: logins
            initial: none
            timeToLive: 10 min
            states:
              failed once:
              failed twice:
              suspicious:
              broken in: {terminal: true}
            events: [logout]
            transitions:
              - {from: none, event: failure, to: failed once}
              - {from: failed once, event: failure, to: failed twice}
              - {from: [failed twice, suspicious], event: failure, to: suspicious}
              - {from: [failed once, failed twice], event: success, to: none}
              - {from: suspicious, event: success, to: broken in}
            """;

    private static final String ORDERS =
            """
            machine: orders
            initial: none
            timeToLive: 7 d
            states:
              ordered:
              paid:
              packed:
              done: {terminal: true, timeToLive: 1 d}
            transitions:
              - {from: none, event: order, to: ordered}
              - {from: ordered, event: pay, to: paid}
              - {from: paid, event: pack, to: packed}
              - {from: packed, event: ship, to: done}
              - {from: [ordered, paid, packed], event: cancel, to: none}
            """;

    /** Returns the machine. */
    abstract MachineDefinition define();
}
