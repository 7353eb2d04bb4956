/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.job.format.JobInput;
import io.sluice.job.format.PacketInput;
import io.sluice.job.packet.Operation;
import io.sluice.record.CounterKind;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.function.SerializableFunction;

/** Packet records, each of which adds 1 to the counter of its source or service. */
record CountedPackets(CountersOptions options) implements CountedInput<Operation, Long> {
    @Override
    public JobInput<Operation> input() {
        return new PacketInput(options);
    }

    @Override
    public IdempotentCounters<Operation, Long> counters() {
        return IdempotentCounters.of(Operation::counter)
                .counterType(Types.LONG)
                .operation(Operation::operationId, Types.LONG);
    }

    @Override
    public SerializableFunction<Long, byte[]> name() {
        CounterKind kind = options.countBy();
        return counter -> kind.format(counter).getBytes(US_ASCII);
    }

    @Override
    public AcknowledgementSchema<Operation> acknowledgements(String topic) {
        SerializableFunction<Long, byte[]> name = name();
        return new AcknowledgementSchema<>(
                topic,
                operation -> String.valueOf(operation.operationId()).getBytes(US_ASCII),
                operation -> String.valueOf(operation.operationId()),
                operation -> name.apply(operation.counter()));
    }
}
