/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.state.BatchMembershipState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys that are asked for in batches live as long as if they were asked for alone. */
class BatchesWithTimeToLiveTest {

    private static final long TTL = 8_000;
    private static final long BUCKET = TTL / 8;
    private static final int KEYS = 1_000;
    private static final long NEVER = Long.MIN_VALUE / 2;

    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(
            value = StateTtlConfig.UpdateType.class,
            names = {"OnCreateAndWrite", "OnReadAndWrite"})
    void anExactModelWithTimeAgrees(StateTtlConfig.UpdateType type) throws Exception {
        SplittableRandom random =
                new SplittableRandom(
                        Seeds.seed(type == StateTtlConfig.UpdateType.OnReadAndWrite ? 1 : 0));
        KeyedJob<Long> job =
                new KeyedJob<>(
                        () -> StateBackends.cascade(configuration -> configuration),
                        KeyKind.LONGS,
                        16,
                        directory);
        ValueStateDescriptor<Boolean> descriptor =
                new ValueStateDescriptor<>("seen", Types.BOOLEAN);
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL)).setUpdateType(type).build());
        long now = 1_000_000;
        job.time().setCurrentTimestamp(now);
        job.start(1);
        long[] marked = new long[KEYS];
        Arrays.fill(marked, NEVER);
        int wrong = 0;
        for (int round = 0; round < 2_000; round++) {
            if (round % 400 == 399) {
                job.checkpoint();
                job.start(1);
            }
            now += random.nextLong(100);
            job.time().setCurrentTimestamp(now);
            wrong += batch(job, job.flags(descriptor), random, marked, now, type);
        }
        assertThat(wrong)
                .as("absent keys that were reported")
                .isLessThanOrEqualTo((int) Tolerance.of(64_000, 1e-3));
        job.stop();
    }

    @SuppressWarnings("unchecked") // the keys are those of the job
    private static int batch(
            KeyedJob<Long> job,
            Flags<Long, VoidNamespace> flags,
            SplittableRandom random,
            long[] marked,
            long now,
            StateTtlConfig.UpdateType type)
            throws Exception {
        var backend = job.subtask(0).backend();
        flags.at(0L, VoidNamespace.INSTANCE);
        var state = (BatchMembershipState<Long>) BatchMembershipState.find(backend, "seen");
        int count = random.nextInt(1, 64);
        long[] keys = random.longs(count, 0, KEYS).toArray();
        long[] hashes = new long[count];
        int[] groups = new int[count];
        for (int i = 0; i < count; i++) {
            hashes[i] = state.hash(keys[i]);
            groups[i] = job.kind().keyGroup(keys[i], job.maxParallelism());
        }
        boolean[] absent = new boolean[count];
        state.markAll(groups, hashes, count, absent);
        int wrong = 0;
        for (int i = 0; i < count; i++) {
            int key = (int) keys[i];
            long age = now - marked[key];
            if (age < TTL) {
                assertThat(absent[i]).as("key %d of age %d", key, age).isFalse();
            } else if (age > TTL + BUCKET && !absent[i]) {
                wrong++;
            }
            if (absent[i] || type == StateTtlConfig.UpdateType.OnReadAndWrite) {
                marked[key] = now;
            }
        }
        return wrong;
    }
}
