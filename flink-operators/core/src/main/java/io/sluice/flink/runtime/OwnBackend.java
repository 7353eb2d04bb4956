/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static java.util.Objects.requireNonNull;

import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackend;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Map;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.delegate.DelegatingStateBackend;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.util.DynamicCodeLoadingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives one operator the cascade state backend, whatever backend its job has: marks of ids are then
 * in filters on local disk. What else the operator keeps stays with the backend of the job, which
 * also restores what the operator kept there before. A job that has the cascade backend itself has
 * this one beside it: its options may ask for another probability and other memory.
 *
 * @param uid of the operator
 * @param options of the cascade backend, which take precedence over those of job and cluster
 */
@Internal
public record OwnBackend(String uid, Map<String, String> options) implements Serializable {

    private static final Logger LOG = LoggerFactory.getLogger(OwnBackend.class);

    public OwnBackend {
        requireNonNull(uid, "uid");
        options = Map.copyOf(options);
    }

    /** Returns {@code operator}, an {@link OptionalSecondInput}, with this backend. */
    @SuppressWarnings("unchecked") // factories take no other operators
    static <OUT, S extends StreamOperator<OUT>> S give(
            OwnBackend backend, S operator, StreamOperatorParameters<OUT> parameters) {
        return (S) backend.give((OptionalSecondInput<?, ?, OUT>) operator, parameters);
    }

    private <IN, FOUND, OUT> OptionalSecondInput<IN, FOUND, OUT> give(
            OptionalSecondInput<IN, FOUND, OUT> operator,
            StreamOperatorParameters<OUT> parameters) {
        Environment environment = parameters.getContainingTask().getEnvironment();
        StateBackend ofJob = backendOfJob(parameters, environment);
        if (ofJob instanceof CascadeStateBackend cascade) {
            ofJob = cascade.delegate();
        }
        if (!(ofJob instanceof AbstractStateBackend delegate)) {
            throw new IllegalStateException(
                    "'"
                            + uid
                            + "' cannot keep its ids on disk beside the state backend "
                            + ofJob.getClass().getName()
                            + ": set state.backend.type to hashmap, rocksdb or"
                            + " io.sluice.state.CascadeStateBackendFactory.");
        }
        Configuration configuration =
                new Configuration(environment.getTaskManagerInfo().getConfiguration());
        configuration.addAll(environment.getJobConfiguration());
        // They say the same as the probability, which is the operator's.
        configuration.removeConfig(CascadeBackendOptions.MAX_FALSE_DROPS_PER_DAY);
        configuration.removeConfig(CascadeBackendOptions.NEW_KEYS_PER_DAY);
        if (!configuration.contains(CascadeBackendOptions.SUMMARY_BITS)) {
            // They are on the heap, where no budget has them.
            configuration.set(CascadeBackendOptions.SUMMARY_BITS, 0);
        }
        options.forEach(configuration::setString);
        raiseMemory(configuration, environment.getTaskInfo());
        CascadeStateBackend own = CascadeStateBackend.ofOperator(uid, delegate, configuration);
        LOG.info("'{}' keeps its ids in filters on local disk, beside {}.", uid, delegate);
        return new OperatorWithOwnBackend<>(operator, environment, own);
    }

    /** Key groups get the smallest buffers even beyond the memory, as filters in memory do. */
    private void raiseMemory(Configuration configuration, TaskInfo task) {
        int subtasks = task.getNumberOfParallelSubtasks();
        int keyGroups = (task.getMaxNumberOfParallelSubtasks() + subtasks - 1) / subtasks;
        MemorySize given = configuration.get(CascadeBackendOptions.FIXED_MEMORY);
        MemorySize least = new MemorySize(CascadeStateBackend.leastMemory(keyGroups));
        if (given.compareTo(least) < 0) {
            LOG.warn(
                    "'{}': memory is {}, but the buffers of {} key groups need {}, and get it."
                            + " Raise memory or the parallelism, or lower the maximum parallelism"
                            + " before the first start.",
                    uid,
                    given.toHumanReadableString(),
                    keyGroups,
                    least.toHumanReadableString());
            configuration.set(CascadeBackendOptions.FIXED_MEMORY, least);
        }
    }

    /** Without Flink's changelog: filters have their own increments. */
    private static StateBackend backendOfJob(
            StreamOperatorParameters<?> parameters, Environment environment) {
        ClassLoader classLoader = parameters.getContainingTask().getUserCodeClassLoader();
        try {
            StateBackend backend =
                    StateBackendLoader.fromApplicationOrConfigOrDefault(
                            parameters.getStreamConfig().getStateBackend(classLoader),
                            environment.getJobConfiguration(),
                            environment.getTaskManagerInfo().getConfiguration(),
                            classLoader,
                            null);
            return backend instanceof DelegatingStateBackend delegating
                    ? delegating.getDelegatedStateBackend()
                    : backend;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (DynamicCodeLoadingException e) {
            throw new IllegalStateException(e);
        }
    }
}
