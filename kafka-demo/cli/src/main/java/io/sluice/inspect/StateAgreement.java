/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether two checkpoints of the same job in two clusters hold the same state, as far as it is
 * Sluice's.
 *
 * @param version of the JSON form
 * @param a path of the first
 * @param b path of the second
 * @param agree whether there are totals, machines, seen sets or flags, and all of them were
 *     compared and are equal
 * @param operators those that keep state of Sluice by key group
 * @param notCompared operators with other state
 * @param problems what could not be read
 * @param exchange what was sent, if the second is on another machine; else null
 */
@Internal
public record StateAgreement(
        int version,
        String a,
        String b,
        boolean agree,
        List<OperatorAgreement> operators,
        List<String> notCompared,
        List<Problem> problems,
        @Nullable Exchange exchange) {

    static final int VERSION = 1;

    /**
     * What two machines sent each other to compare their state.
     *
     * @param sentBytes by this machine
     * @param receivedBytes by this machine
     * @param stateBytes of the state on the other machine: what copying it would take
     */
    public record Exchange(long sentBytes, long receivedBytes, long stateBytes) {}

    /** The same, after an exchange. */
    StateAgreement with(Exchange sent) {
        return new StateAgreement(version, a, b, agree, operators, notCompared, problems, sent);
    }

    public StateAgreement {
        operators = List.copyOf(operators);
        notCompared = List.copyOf(notCompared);
        problems = List.copyOf(problems);
    }
}
