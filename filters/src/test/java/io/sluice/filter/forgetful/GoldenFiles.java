/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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

    private GoldenFiles() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        writeForgetful(folder);
        writeAdaptive(folder.resolve("v1-adaptive.bin"));
    }

    private static void writeForgetful(Path folder) throws IOException {
        for (SeenRule rule : new SeenRule[] {SeenRule.SLICES, SeenRule.NEIGHBOUR_PAIRS}) {
            String name = rule == SeenRule.SLICES ? "v1-slices.bin" : "v1-pairs.bin";
            try (OutputStream out = create(folder.resolve(name))) {
                forgetful(rule).writeTo(out);
            }
        }
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

    /** With N growing to 5 and ids that are their times, up to {@link #ADAPTIVE_CLOCK}. */
    static AdaptiveForgetfulFilter adaptive() {
        ForgetfulBloomFilter filter =
                ForgetfulBloomFilter.builder()
                        .pastFilters(PAST_FILTERS)
                        .maxPastFilters(13)
                        .rule(SeenRule.SLICES)
                        .scattered(4_000, 7)
                        .build();
        AdaptiveForgetfulFilter adaptive =
                new AdaptiveForgetfulFilter(
                        filter, ResizePolicy.planned(100), 400, ADAPTIVE_WINDOW, 100, 1e-3, 0);
        for (long id = 0; id <= ADAPTIVE_CLOCK; id++) {
            adaptive.advanceTo(id);
            adaptive.add(Hashing.hash(id));
        }
        return adaptive;
    }

    private static void writeAdaptive(Path file) throws IOException {
        try (OutputStream out = create(file)) {
            adaptive().writeTo(out);
        }
    }

    private static OutputStream create(Path file) throws IOException {
        return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
    }
}
