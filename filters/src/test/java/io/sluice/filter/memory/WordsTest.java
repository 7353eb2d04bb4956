/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WordsTest {

    private static final int KIND = 999;

    @ParameterizedTest
    @EnumSource
    void holdsWhatWasSet(Storage storage) {
        long[] model = new long[5_000];
        Words words = random(storage, model);
        assertThat(words.storage()).isEqualTo(storage);
        assertEqual(words, model);
        assertThat(words.sizeInBytes()).isBetween(8L * model.length, 8L * model.length + 256);
        words.clear();
        assertEqual(words, new long[model.length]);
    }

    @ParameterizedTest
    @EnumSource
    void aCopyIsIndependent(Storage storage) {
        long[] model = new long[1_000];
        Words words = random(storage, model);
        Words copy = words.copy();
        words.clear();
        assertEqual(copy, model);
        assertThat(copy.storage()).isEqualTo(storage);
    }

    @ParameterizedTest
    @EnumSource
    void bitsMoveUpFromWordToWord(Storage storage) {
        SplittableRandom random = Seeds.random();
        long[] model = new long[50];
        Words words = random(storage, model);
        for (int round = 0; round < 2_000; round++) {
            int from = random.nextInt(model.length);
            int to = from - 1 + random.nextInt(model.length - from + 1);
            int bits = 1 + random.nextInt(63);
            long carry = random.nextLong() >>> (Long.SIZE - bits);
            words.shiftUp(from, to, bits, carry);
            for (int i = to; i >= from; i--) {
                long below = i == from ? carry : model[i - 1] >>> (Long.SIZE - bits);
                model[i] = model[i] << bits | below;
            }
            assertEqual(words, model);
        }
    }

    @Test
    @Tag("long")
    void bitsMoveUpFromOneBufferToTheNext() {
        long first = (1L << 27) - 3;
        Words words = Words.allocate(Storage.OFF_HEAP, first + 6);
        for (int i = 0; i < 6; i++) {
            words.set(first + i, 0x1111_1111_1111_1111L * (i + 1));
        }
        words.shiftUp(first, first + 4, 4, 9);
        assertThat(words.get(first)).isEqualTo(0x1111_1111_1111_1119L);
        for (int i = 1; i < 5; i++) {
            assertThat(words.get(first + i)).isEqualTo(0x1111_1111_1111_1110L * (i + 1) + i);
        }
        assertThat(words.get(first + 5)).isEqualTo(0x6666_6666_6666_6666L);
    }

    @ParameterizedTest
    @EnumSource
    void readsWhatTheOtherStorageWrote(Storage storage) throws IOException {
        // More than what is read before memory grows.
        long[] model = new long[300_000];
        Words words = random(storage, model);
        byte[] bytes = write(words);
        for (Storage other : Storage.values()) {
            FilterReader reader = reader(bytes);
            Words read = Words.readFrom(reader, other, model.length);
            reader.finish();
            assertEqual(read, model);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesALengthThatThePayloadDoesNotHave(Storage storage) throws IOException {
        byte[] bytes = write(random(storage, new long[100]));
        for (long length : new long[] {-1, 101, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> Words.readFrom(reader(bytes), storage, length))
                    .isInstanceOf(CorruptFilterException.class)
                    .hasMessageContaining("words of payload, there are 100");
        }
    }

    /** Gives a buffer, then none; the buffer is small, because it is never used. */
    private static final class FailingMemory implements IntFunction<ByteBuffer>, AutoCloseable {
        private int given;
        private int held;

        @Override
        public ByteBuffer apply(int bytes) {
            if (given == 1) {
                throw new OutOfMemoryError("injected");
            }
            given++;
            held++;
            return ByteBuffer.allocateDirect(4_096);
        }

        @Override
        public void close() {
            held = 0;
        }
    }

    @Test
    void memoryIsReleasedIfALaterPartOfItIsMissing() {
        FailingMemory memory = new FailingMemory();
        assertThatThrownBy(() -> Words.allocate(memory, (1L << 27) + 1))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("injected");
        assertThat(memory.given).isEqualTo(1);
        assertThat(memory.held).isZero();
    }

    private static Words random(Storage storage, long[] model) {
        SplittableRandom random = Seeds.random();
        Words words = Words.allocate(storage, model.length);
        for (int i = 0; i < model.length; i++) {
            model[i] = random.nextLong();
            words.set(i, model[i]);
        }
        return words;
    }

    private static void assertEqual(Words words, long[] model) {
        assertThat(words.length()).isEqualTo(model.length);
        for (int i = 0; i < model.length; i++) {
            assertThat(words.get(i)).as("word %d", i).isEqualTo(model[i]);
        }
    }

    private static byte[] write(Words words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FilterWriter writer =
                new FilterWriter(out, KIND, 1, ByteBuffer.allocate(0), words.length() * Long.BYTES);
        words.writeTo(writer);
        writer.finish();
        return out.toByteArray();
    }

    private static FilterReader reader(byte[] bytes) throws IOException {
        return new FilterReader(new ByteArrayInputStream(bytes), "test", KIND, 1);
    }

    @Test
    void memoryOffTheHeapIsFreedAtOnceAndNotUsedAfterwards() {
        BufferPoolMXBean direct =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .findFirst()
                        .orElseThrow();
        long bytes = 64 << 20;
        long before = direct.getMemoryUsed();
        Words words = Words.allocate(Storage.OFF_HEAP, bytes / Long.BYTES);
        assertThat(direct.getMemoryUsed() - before).isGreaterThan(bytes / 2);

        words.release();

        assertThat(direct.getMemoryUsed() - before).isLessThan(bytes / 2);
        assertThatThrownBy(() -> words.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> words.set(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
