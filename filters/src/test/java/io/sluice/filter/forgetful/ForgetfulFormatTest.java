/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.Persistent;
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

    private static byte[] golden(String name) throws IOException {
        try (InputStream in = ForgetfulFormatTest.class.getResourceAsStream(GOLDEN + name)) {
            return in.readAllBytes();
        }
    }

    private static ForgetfulBloomFilter forgetful(byte[] bytes) throws IOException {
        return ForgetfulBloomFilter.readFrom(new ByteArrayInputStream(bytes), "golden");
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
    void stillWritesTheSameBytes() throws IOException {
        assertThat(bytes(GoldenFiles.forgetful(SeenRule.SLICES)))
                .isEqualTo(golden("v1-slices.bin"));
        assertThat(bytes(GoldenFiles.forgetful(SeenRule.NEIGHBOUR_PAIRS)))
                .isEqualTo(golden("v1-pairs.bin"));
        assertThat(bytes(GoldenFiles.adaptive())).isEqualTo(golden("v1-adaptive.bin"));
    }

    private static AdaptiveForgetfulFilter adaptive(InputStream in, String source)
            throws IOException {
        return AdaptiveForgetfulFilter.readFrom(in, source, ResizePolicy.planned(100));
    }

    @Test
    void readsTheGoldenAdaptiveFilter() throws IOException {
        byte[] golden = golden("v1-adaptive.bin");
        AdaptiveForgetfulFilter filter = adaptive(new ByteArrayInputStream(golden), "golden");
        long firstHeld = GoldenFiles.ADAPTIVE_CLOCK - GoldenFiles.ADAPTIVE_WINDOW;
        for (long id = firstHeld; id <= GoldenFiles.ADAPTIVE_CLOCK; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        assertThat(bytes(filter)).isEqualTo(golden);
    }

    /**
     * A filter that was read goes on like the one that was written: decisions, refreshes,
     * forgetting.
     */
    @Test
    void anAdaptiveFilterThatWasReadGoesOnAsBefore() throws IOException {
        AdaptiveForgetfulFilter written = GoldenFiles.adaptive();
        AdaptiveForgetfulFilter read = adaptive(new ByteArrayInputStream(bytes(written)), "a copy");
        for (long id = GoldenFiles.ADAPTIVE_CLOCK + 1; id < 6_000; id++) {
            written.advanceTo(id);
            read.advanceTo(id);
            long hash = Hashing.hash(id % 3 == 0 ? id - 700 : id);
            assertThat(read.add(hash)).isEqualTo(written.add(hash));
            assertThat(read.filters()).isEqualTo(written.filters());
            assertThat(read.refreshMillis()).isEqualTo(written.refreshMillis());
        }
        assertThat(bytes(read)).isEqualTo(bytes(written));
    }

    @Test
    void parametersInFrontOfAnotherFilterAreRefused() throws IOException {
        byte[] adaptive = golden("v1-adaptive.bin");
        byte[] other = golden("v1-slices.bin");
        int own = forgetfulBytes(adaptive);
        byte[] mixed = Arrays.copyOf(adaptive, own + other.length);
        System.arraycopy(other, 0, mixed, own, other.length);
        assertThatThrownBy(() -> adaptive(new ByteArrayInputStream(mixed), "mixed"))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("does not belong to them");
    }

    /** Where the filter begins, after the parameters. */
    private static int forgetfulBytes(byte[] adaptive) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(adaptive);
        new FilterReader(in, "golden", AdaptiveForgetfulFilterFormat.KIND, 1).finish();
        return adaptive.length - in.available();
    }

    private static byte[] bytes(Persistent filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    @Test
    void refusesEveryFlippedByteAndEveryPrefix() throws IOException {
        Damage.isAlwaysRefused(golden("v1-slices.bin"), ForgetfulBloomFilter::readFrom);
        Damage.isAlwaysRefused(golden("v1-adaptive.bin"), ForgetfulFormatTest::adaptive);
    }
}
