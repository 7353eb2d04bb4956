/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A plain Bloom filter on disk: the memory holds the most recently used pages. Each bit of a key is
 * on a different page, so a key costs about as many page reads and writes as it sets bits; the
 * paper's comparison.
 */
final class PagedBloomFile extends BloomFile {
    private static final int PAGE = DirectFile.PAGE_BYTES;

    private final ByteBuffer memory;
    private final int most;

    /** Pages in memory, the least recently used first. */
    private final Map<Long, Page> pages = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Page {
        private final ByteBuffer bytes;
        private boolean isChanged;

        private Page(ByteBuffer bytes) {
            this.bytes = bytes;
        }
    }

    PagedBloomFile(Path path, long keys, double fpp, long memoryBytes) throws IOException {
        super(path, keys, fpp);
        most = Math.toIntExact(Math.min(memoryBytes, diskBytes()) / PAGE);
        if (most < 1) {
            throw new IllegalArgumentException("memoryBytes must hold a page, got " + memoryBytes);
        }
        memory = DirectFile.buffer(Math.multiplyExact(most, PAGE));
    }

    @Override
    void set(long bit) throws IOException {
        Page page = page(bit / 8 / PAGE);
        set(page.bytes, (int) (bit % (8 * PAGE)));
        page.isChanged = true;
    }

    private Page page(long number) throws IOException {
        Page page = pages.get(number);
        if (page == null) {
            int frame = pages.size();
            page = new Page(frame < most ? memory.slice(frame * PAGE, PAGE) : evict());
            read(page.bytes.clear(), number * PAGE);
            pages.put(number, page);
        }
        return page;
    }

    private ByteBuffer evict() throws IOException {
        Iterator<Map.Entry<Long, Page>> eldest = pages.entrySet().iterator();
        Map.Entry<Long, Page> entry = eldest.next();
        writeBack(entry.getKey(), entry.getValue());
        eldest.remove();
        return entry.getValue().bytes;
    }

    private void writeBack(long number, Page page) throws IOException {
        if (page.isChanged) {
            write(page.bytes.clear(), number * PAGE);
            page.isChanged = false;
        }
    }

    @Override
    void flush() throws IOException {
        for (Map.Entry<Long, Page> page : pages.entrySet()) {
            writeBack(page.getKey(), page.getValue());
        }
    }
}
