/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnNullId;
import java.io.Serializable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Handles records whose id is null as {@link OnNullId} says, and counts them. Operators have one as
 * a member.
 *
 * @param <T> type of the records
 */
@Internal
public final class NullIds<T> implements Serializable {

    private final OnNullId<T> policy;
    private final String role;
    private final String option;

    private transient String operator;
    private transient Counter counter;
    private transient Output<?> output;

    /**
     * @param role what is null: "id"
     * @param option the option that sets {@code policy}
     */
    public NullIds(OnNullId<T> policy, String role, String option) {
        this.policy = requireNonNull(policy, "policy");
        this.role = requireNonNull(role, "role");
        this.option = requireNonNull(option, "option");
    }

    /**
     * Must be called before records.
     *
     * @param operator how messages name the operator
     * @param metrics gets the counter
     * @param metric the counter's name
     */
    public void open(String operator, MetricGroup metrics, String metric, Output<?> output) {
        this.operator = operator;
        this.counter = metrics.counter(metric);
        this.output = output;
    }

    /**
     * Returns the exception for a record whose {@code role} is null, where the policy is to fail.
     */
    public static IllegalStateException refusal(String operator, String role, String option) {
        return new IllegalStateException(
                "Operator "
                        + operator
                        + " got a record whose "
                        + role
                        + " is null: give every record one, filter such records before, or say what"
                        + " happens to them with "
                        + option
                        + "(OnNullId).");
    }

    /** Counts a null without a record that the policy could decide about. */
    public void count() {
        counter.inc();
    }

    /**
     * Returns whether the caller should treat the record as a first occurrence; if not, the record
     * has been dealt with.
     *
     * @throws IllegalStateException if the policy is to fail
     */
    public boolean pass(StreamRecord<T> record) {
        counter.inc();
        if (policy.fails()) {
            throw refusal(operator, role, option);
        }
        if (policy.sideOutput() != null) {
            output.collect(policy.sideOutput(), record);
        }
        return policy.forwards();
    }
}
