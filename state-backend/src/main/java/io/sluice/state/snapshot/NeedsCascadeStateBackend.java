/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.format.CorruptFilterException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Tells other state backends whose state this is. When they restore, they first read the snapshots
 * of serializers, which they find by class name: this is the class that they find, or miss. Its
 * name is part of the format.
 *
 * <p>It precedes stored membership states. This backend reads what follows; every other one stops
 * here with a message, instead of running a job that has silently lost its flags.
 */
@Internal
public final class NeedsCascadeStateBackend implements TypeSerializerSnapshot<Object> {

    static final int VERSION_1 = 1;

    /** The beginning of the metadata of Flink's keyed backends: a version, and "not compressed". */
    private static final int FLINK_METADATA_VERSION = 6;

    /** Version of the frame in which Flink writes a serializer's snapshot. */
    private static final int FLINK_SNAPSHOT_VERSION = 2;

    /** Reads what follows, on the thread that restores this backend. */
    private static final ThreadLocal<Reader> READER = new ThreadLocal<>();

    /** Writes what follows; null if nothing does. */
    @Nullable private final Writer writer;

    /** For Flink, which reads it. */
    public NeedsCascadeStateBackend() {
        this(null);
    }

    NeedsCascadeStateBackend(@Nullable Writer writer) {
        this.writer = writer;
    }

    /** Writes what follows. */
    @FunctionalInterface
    interface Writer {
        void write(DataOutputView out) throws IOException;
    }

    /** Reads what follows. */
    @FunctionalInterface
    interface Reader {
        void read(DataInputView in) throws IOException;
    }

    /** A task that reads metadata that may contain this. */
    @FunctionalInterface
    interface Task {
        void run() throws IOException;
    }

    /**
     * Runs a task on behalf of the backend that owns the state: {@code reader} gets what follows.
     */
    static void reading(Reader reader, Task task) throws IOException {
        READER.set(reader);
        try {
            task.run();
        } finally {
            READER.remove();
        }
    }

    /** What precedes a manifest, so that other backends take it for their own metadata. */
    private static byte[] preamble() {
        DataOutputSerializer out = new DataOutputSerializer(128);
        try {
            out.writeInt(FLINK_METADATA_VERSION);
            out.writeBoolean(false);
            out.writeInt(FLINK_SNAPSHOT_VERSION);
            out.writeUTF(NeedsCascadeStateBackend.class.getName());
            out.writeInt(VERSION_1);
        } catch (IOException e) {
            throw new AssertionError("it is in memory", e);
        }
        return out.getCopyOfBuffer();
    }

    /** The preamble followed by {@code manifest}. */
    public static byte[] before(byte[] manifest) {
        byte[] preamble = preamble();
        byte[] all = Arrays.copyOf(preamble, preamble.length + manifest.length);
        System.arraycopy(manifest, 0, all, preamble.length, manifest.length);
        return all;
    }

    /**
     * Reads the preamble, but not what follows.
     *
     * @param source what is read, for messages
     * @throws CorruptFilterException if it is something else
     */
    public static void skip(InputStream in, String source) throws IOException {
        byte[] expected = preamble();
        byte[] found = in.readNBytes(expected.length);
        if (!Arrays.equals(expected, found)) {
            throw new CorruptFilterException(
                    source, Math.max(0, Arrays.mismatch(expected, found)), "is not a manifest");
        }
    }

    @Override
    public int getCurrentVersion() {
        return VERSION_1;
    }

    @Override
    public void writeSnapshot(DataOutputView out) throws IOException {
        if (writer != null) {
            writer.write(out);
        }
    }

    @Override
    public void readSnapshot(int readVersion, DataInputView in, ClassLoader userCodeClassLoader)
            throws IOException {
        Reader reader = READER.get();
        if (reader == null) {
            throw new IOException(
                    "This state was written by io.sluice.state.CascadeStateBackend: some of it is"
                            + " kept in filters, which no other state backend can read. Set"
                            + " state.backend.type to io.sluice.state.CascadeStateBackendFactory to"
                            + " restore it, or call onDisk() on the Deduplicate that wrote it. A"
                            + " job can leave that backend only with other names for its"
                            + " membership states: their keys are not in the filters.");
        }
        reader.read(in);
    }

    @Override
    public TypeSerializer<Object> restoreSerializer() {
        throw new UnsupportedOperationException("it stands for no serializer");
    }

    @Override
    public TypeSerializerSchemaCompatibility<Object> resolveSchemaCompatibility(
            TypeSerializerSnapshot<Object> oldSerializerSnapshot) {
        return TypeSerializerSchemaCompatibility.incompatible();
    }
}
