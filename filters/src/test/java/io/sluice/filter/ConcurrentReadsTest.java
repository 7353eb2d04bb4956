/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.cuckoo.CuckooShape;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.quotient.QuotientFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Single lookups of a filter that nobody changes give the same answers in any number of threads.
 */
class ConcurrentReadsTest {

    private static final int READERS = 6;
    private static final int KEYS = 20_000;

    private final long[] hashes = Seeds.random().longs(2L * KEYS).toArray();

    @ParameterizedTest
    @EnumSource
    void quotientFilter(Storage storage) throws Exception {
        QuotientFilter filter = QuotientFilter.builder().sized(KEYS, 1e-3).storage(storage).build();
        for (int i = 0; i < KEYS; i++) {
            filter.add(hashes[i]);
        }
        check(hash -> (filter.mightContain(hash) ? 1 : 0) + 2 * filter.count(hash));
    }

    @ParameterizedTest
    @EnumSource
    void cuckooFilter(Storage storage) throws Exception {
        CountingCuckooFilter filter =
                CountingCuckooFilter.create(CuckooShape.sized(KEYS, 1e-3, 8), storage);
        for (int i = 0; i < KEYS; i++) {
            filter.insert(hashes[i], 1 + i % 3);
        }
        check(hash -> (filter.mightContain(hash) ? 1 : 0) + 2 * filter.count(hash));
    }

    @ParameterizedTest
    @EnumSource
    void keyValueFilter(Storage storage) throws Exception {
        KeyValueBloomFilter filter =
                KeyValueBloomFilter.builder().values(16).sized(KEYS, 32).storage(storage).build();
        for (int i = 0; i < KEYS; i++) {
            filter.insert(hashes[i], i & 15);
        }
        check(filter::query);
    }

    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void forgetfulFilter(Layout layout) throws Exception {
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        WindowOptions.builder()
                                .window(Duration.ofSeconds(10))
                                .expectedPerWindow(KEYS)
                                .falsePositiveProbability(1e-3)
                                .layout(layout)
                                .build(),
                        new MemoryBudget(64 << 20),
                        0);
        for (int i = 0; i < KEYS; i++) {
            filter.add(hashes[i], i);
        }
        check(hash -> filter.mightContain(hash, hash & 15) ? 1 : 0);
    }

    private void check(LongUnaryOperator read) throws Exception {
        long[] alone = new long[hashes.length];
        for (int i = 0; i < alone.length; i++) {
            alone[i] = read.applyAsLong(hashes[i]);
        }
        ExecutorService threads = Executors.newFixedThreadPool(READERS);
        try {
            CyclicBarrier start = new CyclicBarrier(READERS);
            List<Future<Integer>> wrong = new ArrayList<>();
            for (int reader = 0; reader < READERS; reader++) {
                int first = reader * 997;
                wrong.add(
                        threads.submit(
                                () -> {
                                    start.await();
                                    return differences(read, alone, first);
                                }));
            }
            for (Future<Integer> of : wrong) {
                assertThat(of.get()).isZero();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private int differences(LongUnaryOperator read, long[] alone, int first) {
        int wrong = 0;
        for (int i = 0; i < 3 * alone.length; i++) {
            int at = (first + i) % alone.length;
            wrong += read.applyAsLong(hashes[at]) == alone[at] ? 0 : 1;
        }
        return wrong;
    }
}
