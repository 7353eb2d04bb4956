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
 * Says whose state it is to a state backend that does not know. Other backends begin to read what
 * they restore with the snapshots of serializers, which they find by the names of their classes:
 * this is the class that they find, or miss. Its name is part of the format.
 *
 * <p>Where membership states are stored, this comes first. This backend reads what follows; every
 * other one ends here, with a message instead of a job that has lost its flags in silence.
 */
@Internal
public final class NeedsCascadeStateBackend implements TypeSerializerSnapshot<Object> {

    static final int VERSION_1 = 1;

    /** What the metadata of Flink's keyed backends begin with: a version, and "not compressed". */
    private static final int FLINK_METADATA_VERSION = 6;

    /** Of the frame in which Flink writes the snapshot of a serializer. */
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

    /** A task that reads metadata in which this may be. */
    @FunctionalInterface
    interface Task {
        void run() throws IOException;
    }

    /** Runs a task in which the state is at home: what follows is given to {@code reader}. */
    static void reading(Reader reader, Task task) throws IOException {
        READER.set(reader);
        try {
            task.run();
        } finally {
            READER.remove();
        }
    }

    /** What comes before a manifest, so that other backends take it for their own metadata. */
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

    /** {@code manifest} behind the preamble. */
    static byte[] before(byte[] manifest) {
        byte[] preamble = preamble();
        byte[] all = Arrays.copyOf(preamble, preamble.length + manifest.length);
        System.arraycopy(manifest, 0, all, preamble.length, manifest.length);
        return all;
    }

    /**
     * Reads the preamble, and leaves what follows.
     *
     * @param source what is read, for messages
     * @throws CorruptFilterException if it is something else
     */
    public static void skip(InputStream in, String source) throws IOException {
        byte[] expected = preamble();
        byte[] found = in.readNBytes(expected.length);
        if (!Arrays.equals(expected, found)) {
            throw new CorruptFilterException(
                    source, Math.max(0, Arrays.mismatch(expected, found)), "is no manifest");
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
                            + " restore it. A job can leave that backend with other names for its"
                            + " membership states only: their keys are not in the filters.");
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
