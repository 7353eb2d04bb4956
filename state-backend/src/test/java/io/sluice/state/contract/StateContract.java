/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** One part of the contract, run on each of the {@link StateBackends}. */
@ParameterizedClass
@EnumSource(StateBackends.class)
abstract class StateContract {
    static final int MAX_PARALLELISM = 128;

    @Parameter StateBackends backends;
    @TempDir Path directory;

    private final List<KeyedJob<?>> opened = new ArrayList<>();

    /** A job with numbers for keys; nothing runs yet. */
    final KeyedJob<Long> job() throws Exception {
        return job(KeyKind.LONGS, MAX_PARALLELISM);
    }

    final <K> KeyedJob<K> job(KeyKind<K> kind, int maxParallelism) throws Exception {
        KeyedJob<K> job =
                new KeyedJob<>(
                        backends::create,
                        kind,
                        maxParallelism,
                        directory.resolve("job-" + opened.size()));
        opened.add(job);
        return job;
    }

    /** A started job, its flag named "seen". */
    final Flags<Long, VoidNamespace> started(int parallelism) throws Exception {
        KeyedJob<Long> job = job();
        job.start(parallelism);
        return job.flags(backends.flag("seen"));
    }

    @AfterEach
    final void stopJobs() throws Exception {
        for (KeyedJob<?> job : opened) {
            job.stop();
        }
    }

    /** Marks the keys of the numbers from {@code from} (inclusive) to {@code to} (exclusive). */
    static <K> void mark(Flags<K, VoidNamespace> flags, long from, long to) throws Exception {
        for (long number = from; number < to; number++) {
            flags.mark(flags.job().kind().key(number), VoidNamespace.INSTANCE);
        }
    }

    /**
     * Checks that of the numbers before {@code end} exactly those of {@code marked} are marked,
     * except for the backend's error: clearing a key can also clear another one that looks the same
     * to a filter.
     */
    final <K> void assertMarked(Flags<K, VoidNamespace> flags, long end, LongPredicate marked)
            throws Exception {
        long absent = 0;
        long wrong = 0;
        long lost = 0;
        for (long number = 0; number < end; number++) {
            boolean is = flags.isMarked(flags.job().kind().key(number), VoidNamespace.INSTANCE);
            if (marked.test(number)) {
                lost += is ? 0 : 1;
            } else {
                absent++;
                wrong += is ? 1 : 0;
            }
        }
        assertThat(lost)
                .as("marks lost after %d clears", flags.clears())
                .isLessThanOrEqualTo(allowed(flags.clears()));
        assertThat(wrong)
                .as("marks without cause among %d", absent)
                .isLessThanOrEqualTo(allowed(absent));
    }

    /** The most errors among {@code trials} that the backend's probability allows. */
    final long allowed(long trials) {
        return Tolerance.of(trials, backends.falsePositiveProbability());
    }
}
