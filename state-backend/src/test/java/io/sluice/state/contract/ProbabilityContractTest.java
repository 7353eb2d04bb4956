/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.state.CascadeBackendOptions;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One probability for the life of a state, however often and with whatever options it is restored.
 */
class ProbabilityContractTest {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int MAX_PARALLELISM = 128;

    /** Keys from here on are never marked. */
    private static final long ABSENT = 1L << 40;

    @TempDir Path directory;
    private KeyedJob<Long> job;

    private Flags<Long, VoidNamespace> job(UnaryOperator<Configuration> options) throws Exception {
        job =
                new KeyedJob<>(
                        () -> StateBackends.cascade(options),
                        KeyKind.LONGS,
                        MAX_PARALLELISM,
                        directory);
        return job.flags(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
    }

    private static UnaryOperator<Configuration> with(double probability, long capacity) {
        return configuration ->
                configuration
                        .set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, probability)
                        .set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("64kb"))
                        .set(CascadeBackendOptions.CAPACITY, capacity);
    }

    @AfterEach
    void stopJob() throws Exception {
        if (job != null) {
            job.stop();
        }
    }

    private static long wronglySeen(Flags<Long, VoidNamespace> seen, int asked) throws Exception {
        long wrong = 0;
        for (long key = ABSENT; key < ABSENT + asked; key++) {
            wrong += seen.isMarked(key, NOWHERE) ? 1 : 0;
        }
        return wrong;
    }

    private static void assertAllMarked(Flags<Long, VoidNamespace> seen, long end)
            throws Exception {
        for (long key = 0; key < end; key++) {
            assertThat(seen.isMarked(key, NOWHERE)).as("key %d", key).isTrue();
        }
    }

    @Test
    void theProbabilityHoldsWhateverTheParallelismWas() throws Exception {
        Flags<Long, VoidNamespace> seen = job(with(1e-2, 2_000));
        long end = 0;
        for (int parallelism : new int[] {1, 2, 4, 8, 16, 32}) {
            job.start(parallelism);
            StateContract.mark(seen, end, end + 10_000);
            end += 10_000;
            job.checkpoint();
        }
        job.start(32);
        assertAllMarked(seen, end);
        assertThat(wronglySeen(seen, 50_000)).isLessThanOrEqualTo(Tolerance.of(50_000, 1e-2));
    }

    /** What is expected of the whole operator does not depend on its parallelism. */
    @ParameterizedTest
    @ValueSource(ints = {1, 64, 128})
    void aCapacityThatIsFineIsSoAtAnyParallelism(int parallelism) throws Exception {
        Flags<Long, VoidNamespace> seen = job(with(1e-6, 1_000_000_000));
        job.start(parallelism);
        StateContract.mark(seen, 0, 200);
        job.checkpoint();
        job.start(1);
        assertAllMarked(seen, 200);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aHundredTimesTheCapacityIsHeld(int parallelism) throws Exception {
        Flags<Long, VoidNamespace> seen = job(with(1e-6, 1_000));
        job.start(parallelism);
        StateContract.mark(seen, 0, 100_000);
        job.checkpoint();
        job.start(parallelism + 1);
        assertAllMarked(seen, 100_000);
        assertThat(wronglySeen(seen, 100_000)).isLessThanOrEqualTo(Tolerance.of(100_000, 1e-6));
    }

    /** An order of a tenant; Flink puts all orders of a tenant into one key group. */
    public static final class Order {
        public String tenant;
        public long number;

        /** For Flink's serializer. */
        public Order() {}

        Order(long number) {
            this.tenant = "tenant " + number % 4;
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Order that
                    && number == that.number
                    && tenant.equals(that.tenant);
        }

        @Override
        public int hashCode() {
            return tenant.hashCode();
        }
    }

    private static final KeyKind<Order> ORDERS =
            KeyKind.of(
                    "order of a tenant",
                    Types.POJO(Order.class).createSerializer(new SerializerConfigImpl()),
                    Order::new);

    private static final int MARKED = 40_000;

    @ParameterizedTest
    @ValueSource(doubles = {1e-2, 1e-3})
    void theProbabilityHoldsForKeysWithFewHashCodes(double probability) throws Exception {
        KeyedJob<Order> orders = skewed(ORDERS, probability);
        Flags<Order, VoidNamespace> seen =
                orders.flags(new ValueStateDescriptor<>("seen", Types.BOOLEAN));
        try {
            long wrong = 0;
            for (int parallelism : new int[] {1, 3, 2}) {
                orders.start(parallelism);
                for (long i = 0; i < MARKED / 2; i++) {
                    wrong += seen.markFirst(new Order(parallelism * ABSENT + i), NOWHERE) ? 0 : 1;
                }
                orders.checkpoint();
            }
            assertThat(wrong).isLessThanOrEqualTo(Tolerance.of(3 * MARKED / 2, probability));
            for (int parallelism = 1; parallelism <= 3; parallelism++) {
                for (long i = 0; i < MARKED / 2; i++) {
                    Order order = new Order(parallelism * ABSENT + i);
                    assertThat(seen.isMarked(order, NOWHERE)).isTrue();
                }
            }
        } finally {
            orders.stop();
        }
    }

    @Test
    void theProbabilityHoldsForFewKeysWithManyNamespaces() throws Exception {
        KeyedJob<Long> windows = skewed(KeyKind.LONGS, 1e-2);
        Flags<Long, Long> seen =
                windows.flags(
                        new ValueStateDescriptor<>("seen", Types.BOOLEAN), LongSerializer.INSTANCE);
        try {
            windows.start(1);
            long wrong = 0;
            for (long i = 0; i < MARKED; i++) {
                wrong += seen.markFirst(i % 2, i / 2) ? 0 : 1;
            }
            assertThat(wrong).isLessThanOrEqualTo(Tolerance.of(MARKED, 1e-2));
        } finally {
            windows.stop();
        }
    }

    private <K> KeyedJob<K> skewed(KeyKind<K> kind, double probability) throws Exception {
        return new KeyedJob<>(
                () -> StateBackends.cascade(with(probability, 50_000)),
                kind,
                MAX_PARALLELISM,
                directory);
    }
}
