/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.format.GoldenSequence;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The persistent forms: golden files, which must be readable for ever, and damage. */
class ForgetfulFormatTest {

    private static byte[] golden(String name) {
        return GoldenFile.read("forgetful/" + name);
    }

    private static ForgetfulBloomFilter forgetful(byte[] bytes) throws IOException {
        return ForgetfulBloomFilter.readFrom(new ByteArrayInputStream(bytes), "golden");
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenForgetfulFilter(SeenRule rule) throws IOException {
        byte[] golden = golden(GoldenFiles.name(rule));
        ForgetfulBloomFilter filter = forgetful(golden);
        assertThat(filter.rule()).isEqualTo(rule);
        assertThat(filter.pastFilters()).isEqualTo(GoldenFiles.PAST_FILTERS);
        assertThat(filter.sliceIds()).hasSize(GoldenFiles.PAST_FILTERS + 2);
        assertThat(LongStream.of(filter.sliceIds()).sum()).isBetween(395L, 400L);
        for (long id = GoldenFiles.FORGETFUL_FIRST_HELD; id < GoldenFiles.FORGETFUL_IDS; id++) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        assertThat(seen(filter, 0, GoldenFiles.FORGETFUL_FIRST_HELD))
                .as("forgotten ids")
                .isLessThan(5);
        assertThat(bytes(filter)).isEqualTo(golden);
        assertThat(bytes(GoldenFiles.forgetful(rule))).as("as written now").isEqualTo(golden);
    }

    @ParameterizedTest
    @EnumSource(names = {"SCATTERED", "BLOCKED"})
    void readsTheGoldenFiltersOfAllWords(Layout layout) throws IOException {
        GoldenSequence golden = new GoldenSequence(golden(GoldenFiles.wordsName(layout)));
        int wordBits = 8;
        for (int pastFilters : GoldenFiles.MOST_PAST_FILTERS) {
            ForgetfulBloomFilter filter =
                    golden.next(
                            ForgetfulBloomFilter::readFrom,
                            GoldenFiles.ofWords(layout, pastFilters));
            assertThat(filter.layout()).isEqualTo(layout);
            assertThat(filter.array().geometry().wordBits()).isEqualTo(wordBits);
            assertThat(filter.pastFilters()).isEqualTo(pastFilters);
            assertThat(filter.maxPastFilters()).isEqualTo(pastFilters);
            assertThat(filter.filters()).isEqualTo(pastFilters + 2);
            assertThat(filter.array().dirty()).as("still to be emptied").isNotZero();
            long ids = GoldenFiles.fewIds(pastFilters);
            long firstHeld = 2 * GoldenFiles.FEW_IDS_PER_SLICE;
            for (long id = firstHeld; id < ids; id++) {
                assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
            }
            assertThat((double) seen(filter, ids, ids + 1_000))
                    .as("ids that never came, in few lines that are unevenly filled")
                    .isLessThan(1_000 * 2 * filter.predictedFpp() + 5);
            wordBits *= 2;
        }
        golden.assertEnds();
    }

    /** How many of the ids {@code from} to {@code end - 1} are reported as seen. */
    private static long seen(ForgetfulBloomFilter filter, long from, long end) {
        return LongStream.range(from, end)
                .filter(id -> filter.mightContain(Hashing.hash(id)))
                .count();
    }

    private static AdaptiveForgetfulFilter adaptive(InputStream in, String source)
            throws IOException {
        return AdaptiveForgetfulFilter.readFrom(in, source, ResizePolicy.planned(100));
    }

    private static Stream<Arguments> adaptiveFilters() {
        return Stream.of(
                arguments("v1-adaptive.bin", GoldenFiles.adaptive(), 1),
                arguments(
                        "v1-adaptive-pairs.bin", GoldenFiles.adaptivePairs(), GoldenFiles.FEW_STEP),
                arguments(
                        "v1-adaptive-blocked.bin",
                        GoldenFiles.adaptiveBlocked(),
                        GoldenFiles.FEW_STEP));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("adaptiveFilters")
    void readsTheGoldenAdaptiveFilter(String name, AdaptiveForgetfulFilter written, int step)
            throws IOException {
        byte[] golden = golden(name);
        AdaptiveForgetfulFilter filter = adaptive(new ByteArrayInputStream(golden), "golden");
        assertThat(filter.clock()).isEqualTo(GoldenFiles.ADAPTIVE_CLOCK / step * step);
        assertThat(filter.pastFilters())
                .as("N, which has grown")
                .isEqualTo(written.pastFilters())
                .isGreaterThan(GoldenFiles.PAST_FILTERS);
        assertThat(filter.filters()).isEqualTo(written.filters());
        assertThat(filter.refreshMillis()).isEqualTo(written.refreshMillis());
        long firstHeld = filter.clock() - GoldenFiles.ADAPTIVE_WINDOW;
        for (long id = firstHeld / step * step; id <= filter.clock(); id += step) {
            assertThat(filter.mightContain(Hashing.hash(id))).as("id %d", id).isTrue();
        }
        long others =
                LongStream.rangeClosed(1, 1_000)
                        .filter(id -> filter.mightContain(Hashing.hash(-id)))
                        .count();
        assertThat(others).as("ids that never came").isLessThan(10);
        assertThat(bytes(filter)).isEqualTo(golden);
        assertThat(bytes(written)).as("as written now").isEqualTo(golden);
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

    /** Nobody adds that many, but what is read can be used, written, and read again. */
    @Test
    void aFilterWithTheMostIdsThatAreCountedIsReadAgainAfterMoreOfThem() throws IOException {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder().pastFilters(1).scattered(300, 5).build();
        filter.setPastFilters(filter.maxPastFilters());
        AdaptiveForgetfulFilterFormat.State state =
                new AdaptiveForgetfulFilterFormat.State(
                        1_000, 1_000, 1e-3, 500, 1, 0, 0, 0, 0, 1L << 61, 0, List.of());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        AdaptiveForgetfulFilterFormat.write(state, filter, out);
        AdaptiveForgetfulFilter full =
                adaptive(new ByteArrayInputStream(out.toByteArray()), "full");
        assertThat(full.add(Hashing.hash(1))).isTrue();
        AdaptiveForgetfulFilter again = adaptive(new ByteArrayInputStream(bytes(full)), "again");
        assertThat(again.mightContain(Hashing.hash(1))).isTrue();
    }

    /** The rule of pairs begins with two filters, of which the older never filled. */
    @Test
    void aFilterThatBeganBeforeTheYear1970IsReadAgain() throws IOException {
        AdaptiveForgetfulFilter filter = beganAt(-5_000, ResizePolicy.fixed());
        assertThat(adaptive(new ByteArrayInputStream(bytes(filter)), "old").clock())
                .isEqualTo(-5_000);
    }

    /** N is what the words have bits for, whatever a policy asks for. */
    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 1_000})
    void aPolicyCannotMakeAFilterThatIsNotReadAgain(int pastFilters) throws IOException {
        AdaptiveForgetfulFilter filter =
                beganAt(0, now -> new ResizePolicy.Decision(500, pastFilters, true));
        for (int millis = 0; millis < 5_000; millis += 100) {
            filter.advanceTo(millis);
            filter.add(Hashing.hash(millis));
        }
        assertThat(adaptive(new ByteArrayInputStream(bytes(filter)), "decided").pastFilters())
                .isEqualTo(filter.pastFilters());
    }

    private static AdaptiveForgetfulFilter beganAt(long now, ResizePolicy policy) {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .rule(SeenRule.NEIGHBOUR_PAIRS)
                        .pastFilters(1)
                        .scattered(300, 5)
                        .build();
        return new AdaptiveForgetfulFilter(filter, policy, 500, 1_000, 1_000, 1e-3, now);
    }

    private static byte[] bytes(Persistent filter) {
        return filter.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryFlippedByteAndEveryPrefix(SeenRule rule) {
        Damage.isAlwaysRefused(golden(GoldenFiles.name(rule)), ForgetfulBloomFilter::readFrom);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1-adaptive.bin", "v1-adaptive-pairs.bin", "v1-adaptive-blocked.bin"})
    void refusesEveryFlippedByteAndEveryPrefixOfAdaptiveFilters(String name) {
        Damage.isAlwaysRefused(golden(name), ForgetfulFormatTest::adaptive);
    }
}
