/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.flink.runtime.OpaqueTypeInfo;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * A packet, reduced to what counting needs: which counter it adds to, and its id. Its capture time
 * is the timestamp that Flink keeps beside it.
 *
 * <p>Mutable, so that the job can use one instance for all operations; copy it to keep it beyond
 * the next record. Not thread-safe.
 */
public final class Operation {
    public static final TypeInformation<Operation> TYPE =
            new OpaqueTypeInfo<>(Operation.class, OperationSerializer.INSTANCE);

    private long counter;
    private long operationId;

    Operation() {}

    Operation set(long newCounter, long newOperationId) {
        counter = newCounter;
        operationId = newOperationId;
        return this;
    }

    Operation set(Operation other) {
        return set(other.counter, other.operationId);
    }

    /** The counter that the operation adds to, a key of the job's {@code CounterKind}. */
    public long counter() {
        return counter;
    }

    /** The same for every retry of an operation. */
    public long operationId() {
        return operationId;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Operation that
                && counter == that.counter
                && operationId == that.operationId;
    }

    @Override
    public int hashCode() {
        return Objects.hash(counter, operationId);
    }

    @Override
    public String toString() {
        return "operation " + operationId + " on " + counter;
    }
}
