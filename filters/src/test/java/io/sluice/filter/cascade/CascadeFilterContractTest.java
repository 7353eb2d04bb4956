/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.RemovableFilter;
import io.sluice.filter.RemovableFilterContract;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** With a buffer so small that most of it is in level files, and threads that merge. */
class CascadeFilterContractTest extends RemovableFilterContract {

    private static final double FPP = 1e-3;

    private final List<CascadeFilter> opened = new ArrayList<>();

    @Override
    protected RemovableFilter create(int capacity) {
        CascadeOptions options =
                CascadeOptions.builder()
                        .capacity(capacity)
                        .falsePositiveProbability(FPP)
                        .bufferBytes(1 << 12)
                        .pageCacheBytes(1 << 20)
                        .build();
        try {
            CascadeFilter filter = CascadeFilter.open(new CrashableDirectory(), options);
            opened.add(filter);
            return filter;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected double fpp() {
        return FPP;
    }

    @AfterEach
    void close() throws IOException {
        for (CascadeFilter filter : opened) {
            filter.close();
        }
    }
}
