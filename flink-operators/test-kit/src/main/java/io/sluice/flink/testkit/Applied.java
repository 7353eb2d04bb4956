/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.util.InstantiationUtil;

/**
 * What a builder added to a stream, to be run in {@link Subtasks}: the operator as the workers get
 * it, a separate object for each, and the key by which records come to them. One with a state
 * backend of its own, as {@code onDisk()} gives it, has that of {@link Subtasks} instead.
 */
@Experimental
public final class Applied<IN, OUT> implements Supplier<OneInputStreamOperator<IN, OUT>> {

    private final OneInputTransformation<IN, OUT> transformation;

    private Applied(OneInputTransformation<IN, OUT> transformation) {
        this.transformation = transformation;
    }

    /**
     * The operator whose output is given.
     *
     * @param input type of the records
     * @throws IllegalArgumentException if the operator has a second input, such as that of {@code
     *     alsoSeen} or {@code corrections}, or takes other records
     */
    @SuppressWarnings("unchecked")
    public static <IN, OUT> Applied<IN, OUT> of(
            TypeInformation<IN> input, SingleOutputStreamOperator<OUT> output) {
        if (!(output.getTransformation() instanceof OneInputTransformation<?, ?> one)) {
            throw new IllegalArgumentException(
                    "'"
                            + output.getName()
                            + "' is not an operator with one input: test it without alsoSeen and"
                            + " corrections, or with Flink's own test harness for two inputs.");
        }
        var transformation = (OneInputTransformation<IN, OUT>) one;
        if (!transformation.getInputType().equals(input)) {
            throw new IllegalArgumentException(
                    "'"
                            + output.getName()
                            + "' takes "
                            + transformation.getInputType()
                            + ", not "
                            + input
                            + ": if the builder added several operators, as twoPhases() does, test"
                            + " it without, or the whole job.");
        }
        return new Applied<>(transformation);
    }

    @Override
    public OneInputStreamOperator<IN, OUT> get() {
        var factory = (SimpleOperatorFactory<OUT>) transformation.getOperatorFactory();
        @SuppressWarnings("unchecked")
        var operator = (OneInputStreamOperator<IN, OUT>) factory.getOperator();
        try {
            return InstantiationUtil.clone(operator);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Starts {@code parallelism} subtasks, with state on the heap and a maximum parallelism of 128.
     * Close them at the end.
     */
    public Subtasks<Object, IN, OUT> start(int parallelism) throws Exception {
        Subtasks<Object, IN, OUT> subtasks = subtasks(128, HashMapStateBackend::new);
        subtasks.start(parallelism, this);
        return subtasks;
    }

    /**
     * Subtasks that get records by the key of this operator, and may run other operators with an
     * equal key.
     */
    @SuppressWarnings("unchecked")
    public Subtasks<Object, IN, OUT> subtasks(int maxParallelism, Supplier<StateBackend> backend) {
        return new Subtasks<>(
                (KeySelector<IN, Object>) transformation.getStateKeySelector(),
                (TypeInformation<Object>) transformation.getStateKeyType(),
                maxParallelism,
                backend);
    }
}
