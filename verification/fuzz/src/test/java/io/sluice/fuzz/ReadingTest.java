/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReadingTest {

    private static final int MUCH = 4 << 20;

    private final AtomicInteger readings = new AtomicInteger();
    private final List<byte[]> kept = new ArrayList<>();

    @Test
    void aReaderThatTakesMuchForAFewBytesFails() {
        assertThatThrownBy(() -> read(reading -> allocate()))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("reading 8 bytes took 4194");
    }

    @Test
    void whatIsAllocatedOnceIsNotTheReaders() {
        assertThatCode(
                        () ->
                                read(
                                        reading -> {
                                            if (reading <= 3) {
                                                allocate();
                                            }
                                        }))
                .doesNotThrowAnyException();
    }

    @Test
    void equalBytesWithTwoFatesFail() {
        assertThatThrownBy(
                        () ->
                                read(
                                        reading -> {
                                            if (reading == 1) {
                                                throw new CorruptFilterException("it", 0, "bad");
                                            }
                                        }))
                .hasMessage("equal bytes have the same fate");
    }

    @Test
    void anyOtherExceptionFails() {
        assertThatThrownBy(
                        () ->
                                read(
                                        reading -> {
                                            throw new IllegalStateException("unexpected");
                                        }))
                .isInstanceOf(IllegalStateException.class);
    }

    private void allocate() {
        kept.add(new byte[MUCH]);
    }

    private interface Step {
        void run(int reading) throws IOException;
    }

    private void read(Step step) throws IOException {
        byte[] bytes = new byte[Long.BYTES];
        Reading.isRefusedOrWorks(
                bytes,
                (in, source) -> {
                    step.run(readings.incrementAndGet());
                    return source;
                },
                source -> bytes);
    }
}
