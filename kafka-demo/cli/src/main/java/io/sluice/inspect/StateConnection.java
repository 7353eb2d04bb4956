/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.CRC32C;
import javax.annotation.Nullable;

/**
 * Messages between two sides that compare their state: magic (4), version (2), kind (2), length
 * (4), that many bytes, and a checksum of all of it (4). Not thread-safe.
 */
final class StateConnection implements Closeable {

    /** "SLRC". */
    static final int MAGIC = 0x534c5243;

    static final short VERSION = 2;

    /** The most bytes of a message. */
    static final int MAX_BYTES = 32 << 20;

    private static final int HEADER_BYTES = 12;
    private static final int CHECKSUM_BYTES = 4;

    /** What a message is about. */
    enum Kind {
        /** Asks for, and tells, location, bytes and operators. */
        HELLO(1),
        /** Asks about a key group, with a digest of its facts. */
        KEY_GROUP(2),
        /** Asks for the membership states of an operator. */
        FLAGS(3),
        /** Asks for a keyed state. */
        VALUES(4),
        /** Turns to the entries of a part of a key group, with a digest of them. */
        ENTRIES(5),
        /** Asks for coded symbols of these entries. */
        SYMBOLS(6),
        /** Asks for some of these entries, by their hashes. */
        GIVE(7),
        /** Asks for all of them, from an index on. */
        ALL(8),
        /** What is asked about is the same here; or is not there. */
        SAME(9),
        /** The answer to the question. */
        ANSWER(10),
        /** The question has no answer, and why. */
        PROBLEM(11),
        /** Nothing more is asked; whether both agree. */
        END(12);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Nullable
        private static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            return null;
        }
    }

    /** A message, read as a whole. */
    record Message(Kind kind, DataInputStream body) {}

    /** The other side is another release. */
    static final class OtherVersionException extends IOException {
        private static final long serialVersionUID = 1;

        private OtherVersionException(int version) {
            super(
                    "the other side speaks version "
                            + version
                            + ", not "
                            + VERSION
                            + ": take the same release on both");
        }
    }

    /** Writes the body of a message. */
    @FunctionalInterface
    interface Body {
        void writeTo(DataOutputStream to) throws IOException;
    }

    private final InputStream in;
    private final OutputStream out;
    private long sent;
    private long received;

    StateConnection(InputStream in, OutputStream out) {
        this.in = in;
        this.out = new BufferedOutputStream(out);
    }

    /** Returns the bytes that were sent so far. */
    long sentBytes() {
        return sent;
    }

    /** Returns the bytes that were received so far. */
    long receivedBytes() {
        return received;
    }

    void send(Kind kind, Body body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        to.writeInt(MAGIC);
        to.writeShort(VERSION);
        to.writeShort(kind.code);
        to.writeInt(0);
        body.writeTo(to);
        byte[] message = bytes.toByteArray();
        int length = message.length - HEADER_BYTES;
        if (length > MAX_BYTES) {
            throw new IOException(
                    "a message of "
                            + length
                            + " bytes, of which at most "
                            + MAX_BYTES
                            + " are sent");
        }
        for (int i = 0; i < Integer.BYTES; i++) {
            message[HEADER_BYTES - 1 - i] = (byte) (length >>> (i * Byte.SIZE));
        }
        CRC32C crc = new CRC32C();
        crc.update(message, 0, message.length);
        out.write(message);
        new DataOutputStream(out).writeInt((int) crc.getValue());
        out.flush();
        sent += message.length + CHECKSUM_BYTES;
    }

    /**
     * Reads the next message.
     *
     * @throws IOException in one line, if the other side is something else, or has gone
     */
    Message receive() throws IOException {
        byte[] header = read(HEADER_BYTES, "the connection has ended");
        DataInputStream fields = new DataInputStream(new ByteArrayInputStream(header));
        if (fields.readInt() != MAGIC) {
            throw new IOException("the other side is not 'sluice reconcile'");
        }
        int version = fields.readShort();
        if (version != VERSION) {
            throw new OtherVersionException(version);
        }
        Kind kind = Kind.of(fields.readShort());
        int length = fields.readInt();
        if (kind == null || length < 0 || length > MAX_BYTES) {
            throw new IOException("the other side sent a message that cannot be one");
        }
        String cut = "the connection has ended inside a message";
        byte[] body = read(length, cut);
        CRC32C crc = new CRC32C();
        crc.update(header, 0, header.length);
        crc.update(body, 0, body.length);
        int checksum =
                new DataInputStream(new ByteArrayInputStream(read(CHECKSUM_BYTES, cut))).readInt();
        if ((int) crc.getValue() != checksum) {
            throw new IOException("a message was damaged on its way");
        }
        received += HEADER_BYTES + length + CHECKSUM_BYTES;
        return new Message(kind, new DataInputStream(new ByteArrayInputStream(body)));
    }

    /** Reads in pieces, so that a length that is made up takes no more memory than what comes. */
    private byte[] read(int length, String cut) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException(cut);
        }
        return bytes;
    }

    /**
     * Asks, and returns the answer.
     *
     * @throws IOException if the other side has a problem with the question
     * @throws UncheckedIOException if there is no other side any more: nothing can be asked
     */
    Message ask(Kind kind, Body body) throws IOException {
        Message answer;
        try {
            send(kind, body);
            answer = receive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (answer.kind() == Kind.PROBLEM) {
            throw StateWire.thrown(answer.body());
        }
        if (answer.kind() != Kind.ANSWER && answer.kind() != Kind.SAME) {
            throw new UncheckedIOException(
                    new IOException("the other side answered with " + answer.kind()));
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        try {
            in.close();
        } finally {
            out.close();
        }
    }
}
