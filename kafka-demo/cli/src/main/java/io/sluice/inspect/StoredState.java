/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.OperatorState;

/**
 * The state of a checkpoint that can be read here.
 *
 * @param checkpoint where it is
 */
record StoredState(StoredCheckpoint checkpoint) implements ComparedState {

    @Override
    public String location() {
        return checkpoint.location().directory().toString();
    }

    @Override
    public Map<String, ComparedOperator> operators() {
        Map<String, ComparedOperator> operators = new LinkedHashMap<>();
        for (OperatorState operator : checkpoint.metadata().getOperatorStates()) {
            operators.put(
                    operator.getOperatorID().toHexString(),
                    new StoredOperator(operator, checkpoint.classLoader()));
        }
        return operators;
    }

    /** Returns the bytes of the state, as Flink counts them. */
    long bytes() {
        return checkpoint.metadata().getOperatorStates().stream()
                .mapToLong(OperatorState::getStateSize)
                .sum();
    }
}
