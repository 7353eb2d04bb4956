/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.hash.Hashing;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The persistent forms: golden files, which must be readable for ever, and damage. */
class ForgetfulFormatTest {

    private static final String GOLDEN = "/golden/forgetful/";
    private static final WindowOptions OPTIONS =
            WindowOptions.builder().windowMillis(1_000).falsePositiveProbability(1e-3).build();

    private static byte[] golden(String name) throws IOException {
        try (InputStream in = ForgetfulFormatTest.class.getResourceAsStream(GOLDEN + name)) {
            return in.readAllBytes();
        }
    }

    private static WindowedFilter window(byte[] bytes) throws IOException {
        return WindowedFilter.readFrom(
                new ByteArrayInputStream(bytes), "golden", OPTIONS, new MemoryBudget(1 << 20));
    }

    private static ForgetfulBloomFilter forgetful(byte[] bytes) throws IOException {
        return ForgetfulBloomFilter.readFrom(new ByteArrayInputStream(bytes), "golden");
    }

    @Test
    void readsTheGoldenWindow() throws IOException {
        WindowedFilter filter = window(golden("v1-window.bin"));
        assertThat(filter.clock()).isEqualTo(GoldenFiles.WINDOW_CLOCK);
        for (long id = GoldenFiles.WINDOW_FIRST_HELD; id < GoldenFiles.WINDOW_IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        assertThat(out.toByteArray()).isEqualTo(golden("v1-window.bin"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1-slices.bin", "v1-pairs.bin"})
    void readsTheGoldenForgetfulFilter(String name) throws IOException {
        ForgetfulBloomFilter filter = forgetful(golden(name));
        assertThat(filter.pastFilters()).isEqualTo(GoldenFiles.PAST_FILTERS);
        for (long id = GoldenFiles.FORGETFUL_FIRST_HELD; id < GoldenFiles.FORGETFUL_IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        assertThat(out.toByteArray()).isEqualTo(golden(name));
    }

    @Test
    void refusesEveryFlippedByteAndEveryPrefix() throws IOException {
        for (String name : new String[] {"v1-window.bin", "v1-slices.bin"}) {
            byte[] bytes = golden(name);
            for (int i = 0; i < bytes.length; i++) {
                byte[] flipped = bytes.clone();
                flipped[i] ^= (byte) 0xff;
                refuses(name, flipped);
                refuses(name, Arrays.copyOf(bytes, i));
            }
        }
    }

    private static void refuses(String name, byte[] bytes) {
        assertThatThrownBy(() -> readAny(name, bytes)).isInstanceOf(CorruptFilterException.class);
    }

    private static void readAny(String name, byte[] bytes) throws IOException {
        if (name.contains("window")) {
            window(bytes);
        } else {
            forgetful(bytes);
        }
    }

    @Test
    void refusesTheOtherKind() {
        assertThatThrownBy(() -> window(golden("v1-slices.bin")))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("kind 2, expected kind 1");
    }

    @Test
    void aFailedReadLeavesTheBudgetAsItWas() throws IOException {
        byte[] bytes = golden("v1-window.bin");
        bytes[bytes.length - 1] ^= 1;
        MemoryBudget budget = new MemoryBudget(1 << 20);
        assertThatThrownBy(
                        () ->
                                WindowedFilter.readFrom(
                                        new ByteArrayInputStream(bytes), "cut", OPTIONS, budget))
                .isInstanceOf(CorruptFilterException.class);
        assertThat(budget.reserved()).isZero();
    }
}
