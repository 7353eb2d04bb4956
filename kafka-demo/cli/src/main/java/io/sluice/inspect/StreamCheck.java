/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.file.LevelFile;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.dedup.StoredDeduplicator;
import io.sluice.flink.runtime.KeyGroupHeader;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.NeedsCascadeStateBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Reads all bytes of one stream of a checkpoint, and checks what can be checked. */
final class StreamCheck {

    private static final int BUFFER_BYTES = 64 << 10;

    /** A file that is damaged all over need not be told of more often. */
    private static final int MAX_PROBLEMS = 100;

    private final StoredStream stream;
    private final LongConsumer onRead;
    private final List<Problem> problems = new ArrayList<>();
    private long checkedBytes;

    /** Where what is read now begins, from which its reader counts. */
    private long base;

    /**
     * @param onRead is told how many bytes were read
     */
    StreamCheck(StoredStream stream, LongConsumer onRead) {
        this.stream = stream;
        this.onRead = onRead;
    }

    List<Problem> problems() {
        return problems;
    }

    /** Bytes that are what was written. */
    long checkedBytes() {
        return checkedBytes;
    }

    /** Notes the bytes that another writer wrote. */
    void checkedElsewhere(long bytes) {
        checkedBytes += bytes;
    }

    void problem(long from, Exception thrown) {
        problem(Problem.of(stream, from, thrown));
    }

    void problem(Problem problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }

    /** Key groups of one of our operators. Damage in one does not keep others from being read. */
    void checkKeyGroups(KeyGroupsStateHandle handle) throws IOException {
        try (FSDataInputStream in = handle.openInputStream()) {
            for (KeyGroupRegions.Part part : KeyGroupRegions.of(handle)) {
                base = part.from();
                try {
                    check(part, new Region(in, part.from(), part.end(), BUFFER_BYTES, onRead));
                    checkedBytes += part.end() - part.from();
                } catch (IOException e) {
                    problem(base, e);
                }
            }
        }
    }

    private void check(KeyGroupRegions.Part part, Region in) throws IOException {
        String source = "key group " + part.keyGroup();
        KeyGroupHeader header = KeyGroupHeader.readFrom(in, source);
        if (header.keyGroup() != part.keyGroup()) {
            throw new CorruptFilterException(
                    source, 0, "has key group " + header.keyGroup() + ", not " + part.keyGroup());
        }
        base = in.position();
        long body = base;
        if (header.hasStructure() == (body == part.end())) {
            throw new CorruptFilterException(
                    source,
                    0,
                    header.hasStructure()
                            ? source + " ends before its structure"
                            : "something follows " + source + ", which has no structure");
        }
        while (base < part.end()) {
            FilterReader.ofAnyKind(in, source).checkPayload();
            base = in.position();
        }
        if (header.hasStructure()) {
            base = body;
            in.seek(body);
            boolean isFilter = FilterReader.ofAnyKind(in, source).kind() == StoredDeduplicator.KIND;
            in.seek(body);
            if (isFilter) {
                // Its checksums are right; now the numbers in it are looked at.
                StoredDeduplicator.readFrom(in, source);
            }
        }
    }

    /**
     * A level file.
     *
     * @param part the file, or where it is in a larger one
     * @param from where it begins in the stream
     * @param info what the filter's manifest says; null to believe the file
     * @param expected what the checkpoint's manifest says; null if that could not be read
     */
    void checkLevelFile(
            String name,
            StreamStateHandle part,
            long from,
            @Nullable LevelFileInfo info,
            @Nullable CompositeManifest.FilePart expected) {
        try (HandleFile file = new HandleFile(name, part, onRead)) {
            LevelFileInfo what = info != null ? info : infoOf(name, part);
            try (LevelFile level = LevelFile.open(file, what, new PageCache(0))) {
                level.verify();
                if (expected != null) {
                    requireChecksum(expected, file.crc32c());
                }
            }
            checkedBytes += file.length();
        } catch (IOException e) {
            problem(from, e);
        }
    }

    /**
     * A sample.
     *
     * @param part the file, or where it is in a larger one
     * @param from where it begins in the stream
     * @param expected what the checkpoint's manifest says; null if that could not be read
     */
    void checkSample(
            String name,
            StreamStateHandle part,
            long from,
            @Nullable CompositeManifest.FilePart expected) {
        try (FSDataInputStream in = part.openInputStream()) {
            Region region = new Region(in, 0, part.getStateSize(), BUFFER_BYTES, onRead);
            CheckedInputStream counted = new CheckedInputStream(region, new CRC32C());
            StoredSample.readFrom(counted, name);
            if (expected != null) {
                requireChecksum(expected, (int) counted.getChecksum().getValue());
            }
            checkedBytes += part.getStateSize();
        } catch (IOException e) {
            problem(from, e);
        }
    }

    private static void requireChecksum(CompositeManifest.FilePart expected, int crc)
            throws CorruptFilterException {
        if (crc != expected.crc32c()) {
            throw new CorruptFilterException(
                    expected.name(),
                    0,
                    String.format(
                            "its checksum is %08x, but the manifest says %08x",
                            crc, expected.crc32c()));
        }
    }

    /** What the file says about itself. */
    private LevelFileInfo infoOf(String name, StreamStateHandle part) throws IOException {
        try (HandleFile file = new HandleFile(name, part, onRead)) {
            return LevelFile.readInfo(file, name);
        }
    }

    /** A manifest of the cascade state backend. */
    void checkManifest() throws IOException {
        try (FSDataInputStream in = stream.handle().openInputStream()) {
            Region region = new Region(in, 0, stream.bytes(), BUFFER_BYTES, onRead);
            base = 0;
            try {
                NeedsCascadeStateBackend.skip(region, stream.role());
                base = region.position();
                ExpectedFiles.of(CompositeManifest.read(region, stream.role()));
                checkedBytes += stream.bytes();
            } catch (IOException e) {
                problem(base, e);
            }
        }
    }

    /** The whole stream has no checksum that is known here: whether it can be read. */
    void readOnly() throws IOException {
        readOnly(0, stream.bytes());
    }

    /** As {@link #readOnly()}, for a part of the stream. */
    void readOnly(long from, long end) throws IOException {
        byte[] bytes = new byte[BUFFER_BYTES];
        try (FSDataInputStream in = stream.handle().openInputStream()) {
            Region region = new Region(in, from, end, BUFFER_BYTES, onRead);
            int read = region.read(bytes, 0, bytes.length);
            while (read > 0) {
                read = region.read(bytes, 0, bytes.length);
            }
            if (region.position() < end) {
                problem(
                        new Problem(
                                stream.name(),
                                stream.startsAt() + region.position(),
                                "ends before its " + end + " bytes"));
            }
        }
    }
}
