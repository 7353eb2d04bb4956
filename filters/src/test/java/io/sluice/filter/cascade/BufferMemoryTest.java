/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** When a filter takes memory for its buffers that is accounted for elsewhere. */
class BufferMemoryTest {

    private static final int BUFFER_BYTES = 1 << 14;

    private final SplittableRandom random = Seeds.random();
    private final ChosenTasks background = new ChosenTasks(random);

    /** Bytes that were asked for, buffer by buffer. */
    private final List<Integer> taken = new ArrayList<>();

    /** Memory that was not given back. */
    private final Set<Lent> lent = new LinkedHashSet<>();

    /** Memory as a previous user left it. */
    static ByteBuffer used(int bytes) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
        while (buffer.hasRemaining()) {
            buffer.put((byte) 0xa5);
        }
        return buffer.clear();
    }

    private ByteBuffer take(int bytes) {
        taken.add(bytes);
        return used(bytes);
    }

    private CascadeFilter open(CascadeOptionsBuilder options) throws IOException {
        return open(options, 100_000);
    }

    private CascadeFilter open(CascadeOptionsBuilder options, long capacity) throws IOException {
        return CascadeFilter.open(
                new CrashableDirectory(),
                options.capacity(capacity)
                        .bufferBytes(BUFFER_BYTES)
                        .resources(CascadeResources.of(new PageCache(1 << 20), background))
                        .build());
    }

    @Test
    void allOfItIsTakenAtOnceSoThatASnapshotTakesNone() throws IOException {
        try (CascadeFilter filter = open(CascadeOptions.builder().bufferMemory(() -> this::take))) {
            assertThat(taken).hasSize(BufferPool.FULL_BUFFERS);
            assertThat(taken.stream().mapToInt(bytes -> bytes).sum()).isLessThan(BUFFER_BYTES);
            for (int round = 0; round < 5; round++) {
                long hash = random.nextLong();
                filter.add(hash);
                CascadeSnapshot snapshot = filter.snapshot();
                assertThat(taken).hasSize(BufferPool.FULL_BUFFERS);
                assertThat(filter.mightContain(hash)).isTrue();
                snapshot.prepare();
                snapshot.close();
                filter.mightContain(hash);
                background.runAll();
            }
        }
    }

    @Test
    void whatStepsInWhileABufferIsWrittenIsSmallAndIsUsedAgain() throws IOException {
        try (CascadeFilter filter = open(CascadeOptions.builder().bufferMemory(() -> this::take))) {
            long[] hashes = random.longs(200).toArray();
            int most = 0;
            for (int i = 0; i < hashes.length; i++) {
                filter.add(hashes[i]);
                filter.snapshot().close();
                if (i % 3 == 2) {
                    background.runAll();
                    filter.mightContain(0);
                    background.runAll();
                }
                if (i == 20) {
                    most = taken.size();
                }
            }
            assertThat(taken).hasSize(most).hasSizeGreaterThan(BufferPool.FULL_BUFFERS);
            assertThat(taken.subList(BufferPool.FULL_BUFFERS, most))
                    .allMatch(bytes -> bytes < BUFFER_BYTES / 8);
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
        }
    }

    @Test
    void timeBucketsAndSnapshotsThatEndFasterThanTheyAreWrittenTakeSomeSmallOnes()
            throws IOException {
        CascadeOptionsBuilder options =
                CascadeOptions.builder()
                        .timeToLive(Duration.ofSeconds(1), 1000)
                        .bufferMemory(Lent::new);
        try (CascadeFilter filter = open(options)) {
            long[] hashes = random.longs(400).toArray();
            for (int i = 0; i < hashes.length; i++) {
                filter.advanceTo(i / 2);
                filter.add(hashes[i]);
                if (i % 2 == 0) {
                    filter.snapshot().close();
                }
                assertThat(lent)
                        .hasSizeLessThanOrEqualTo(
                                BufferPool.FULL_BUFFERS + BufferPool.MANY_SMALL_BUFFERS);
            }
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
        }
    }

    /** Memory that says when it is given back. */
    private final class Lent implements IntFunction<ByteBuffer>, AutoCloseable {
        private Lent() {
            lent.add(this);
        }

        @Override
        public ByteBuffer apply(int bytes) {
            return take(bytes);
        }

        @Override
        public void close() {
            assertThat(lent.remove(this)).isTrue();
        }
    }

    @Test
    void buffersOfShorterHashesAreGivenBackWhenASetThatHasGrownNeedsLongerOnes()
            throws IOException {
        long[] hashes = random.longs(60_000).toArray();
        CascadeOptionsBuilder options = CascadeOptions.builder().bufferMemory(Lent::new);
        try (CascadeFilter filter = open(options, 1_000)) {
            List<Lent> first = List.copyOf(lent);
            for (long hash : hashes) {
                filter.add(hash);
                background.runAll();
            }
            filter.flush();
            background.runAll();
            assertThat(lent).doesNotContainAnyElementsOf(first);
            assertThat(lent).hasSizeBetween(1, BufferPool.FULL_BUFFERS);
            for (long hash : hashes) {
                assertThat(filter.mightContain(hash)).isTrue();
            }
        }
        assertThat(lent).isEmpty();
    }
}
