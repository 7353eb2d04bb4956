/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Wrote the golden files, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenFiles {

    static final int PAST_FILTERS = 2;
    static final long FORGETFUL_IDS = 600;
    static final long FORGETFUL_FIRST_HELD = 200;
    private static final int SLICE = 100;
    static final long ADAPTIVE_CLOCK = 2_345;
    static final long ADAPTIVE_WINDOW = 1_000;

    /** The most past filters that words of 8, 16, 32 and 64 bits have room for. */
    static final int[] MOST_PAST_FILTERS = {5, 13, 29, 61};

    static final int FEW_IDS_PER_SLICE = 2;

    /** Time between the ids of the smaller adaptive filters, in ms. */
    static final int FEW_STEP = 10;

    private GoldenFiles() {}

    static String name(SeenRule rule) {
        return switch (rule) {
            case SIMPLE -> "v1-simple.bin";
            case NEIGHBOUR_PAIRS -> "v1-pairs.bin";
            case SLICES -> "v1-slices.bin";
        };
    }

    static String wordsName(Layout layout) {
        return "v1-words-" + layout.name().toLowerCase(Locale.ROOT) + ".bin";
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (SeenRule rule : SeenRule.values()) {
            GoldenFile.write(folder.resolve(name(rule)), forgetful(rule).toByteArray());
        }
        for (Layout layout : new Layout[] {Layout.SCATTERED, Layout.BLOCKED}) {
            GoldenFile.write(folder.resolve(wordsName(layout)), ofAllWords(layout));
        }
        GoldenFile.write(folder.resolve("v1-adaptive.bin"), adaptive().toByteArray());
        GoldenFile.write(folder.resolve("v1-adaptive-pairs.bin"), adaptivePairs().toByteArray());
        GoldenFile.write(
                folder.resolve("v1-adaptive-blocked.bin"), adaptiveBlocked().toByteArray());
    }

    static ForgetfulBloomFilter forgetful(SeenRule rule) {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(PAST_FILTERS)
                        .rule(rule)
                        .scattered(4_000, 7)
                        .build();
        for (long id = 0; id < FORGETFUL_IDS; id++) {
            if (id > 0 && id % SLICE == 0) {
                filter.refresh();
            }
            filter.add(Hashing.hash(id));
        }
        return filter;
    }

    /** One filter for each size of words, one after the other. */
    private static byte[] ofAllWords(Layout layout) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int pastFilters : MOST_PAST_FILTERS) {
            ofWords(layout, pastFilters).writeTo(out);
        }
        return out.toByteArray();
    }

    /** All of its planes were in use, and one that was forgotten is still to be emptied. */
    static ForgetfulBloomFilter ofWords(Layout layout, int pastFilters) {
        ForgetfulBloomFilterBuilder builder =
                ForgetfulBloomFilter.builder().pastFilters(pastFilters);
        ForgetfulBloomFilter filter =
                layout == Layout.BLOCKED
                        ? builder.blocked(128, 2, 4).build()
                        : builder.scattered(128, 7).build();
        for (long id = 0; id < fewIds(pastFilters); id++) {
            filter.add(Hashing.hash(id));
            if (id % FEW_IDS_PER_SLICE == FEW_IDS_PER_SLICE - 1) {
                filter.refresh();
            }
        }
        return filter;
    }

    /** Ids of as many slices as the words have planes. */
    static long fewIds(int pastFilters) {
        return (long) FEW_IDS_PER_SLICE * (pastFilters + 3);
    }

    /** With N growing to 5 and ids that are their times, up to {@link #ADAPTIVE_CLOCK}. */
    static AdaptiveForgetfulFilter adaptive() {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(PAST_FILTERS)
                        .maxPastFilters(13)
                        .rule(SeenRule.SLICES)
                        .scattered(4_000, 7)
                        .build();
        return filled(filter, 1);
    }

    static AdaptiveForgetfulFilter adaptivePairs() {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(PAST_FILTERS)
                        .maxPastFilters(13)
                        .rule(SeenRule.NEIGHBOUR_PAIRS)
                        .scattered(600, 7)
                        .build();
        return filled(filter, FEW_STEP);
    }

    static AdaptiveForgetfulFilter adaptiveBlocked() {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(PAST_FILTERS)
                        .maxPastFilters(29)
                        .blocked(600, 2, 4)
                        .build();
        return filled(filter, FEW_STEP);
    }

    private static AdaptiveForgetfulFilter filled(ForgetfulBloomFilter filter, int step) {
        AdaptiveForgetfulFilter adaptive =
                new AdaptiveForgetfulFilter(
                        filter, ResizePolicy.planned(100), 400, ADAPTIVE_WINDOW, 100, 1e-3, 0);
        for (long id = 0; id <= ADAPTIVE_CLOCK; id += step) {
            adaptive.advanceTo(id);
            adaptive.add(Hashing.hash(id));
        }
        return adaptive;
    }
}
