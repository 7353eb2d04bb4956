/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip (RFC 1952) with any number of consecutive members.
 *
 * <p>The JDK's own stream throws when the data ends early or is corrupt, and loses what it
 * decompressed in the same call. A damaged capture should give every packet before the damage, so
 * this one delivers all bytes, then ends, and says in {@link #damage} what was wrong.
 */
final class GzipMembers extends InputStream {
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int DEFLATE = 8;
    private static final int FLAG_HEADER_CRC = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;
    private static final int RESERVED_FLAGS = 0xE0;
    private static final int INPUT_BYTES = 1 << 16;

    private final InputStream compressed;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 checksum = new CRC32();
    private final byte[] input;
    private int position;
    private int limit;
    private long consumed;
    private boolean inMember;
    private boolean ended;
    private boolean cut;
    private String damage = "";

    /** Continues a stream whose first {@code length} bytes were already read. */
    GzipMembers(InputStream compressed, byte[] head, int length) {
        this.compressed = compressed;
        input = new byte[Math.max(INPUT_BYTES, length)];
        System.arraycopy(head, 0, input, 0, length);
        limit = length;
    }

    /** What is wrong with the data; empty if nothing is. */
    String damage() {
        return damage;
    }

    /** Whether the damage means that data is missing at the end. */
    boolean isCut() {
        return cut;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!ended) {
            if (!inMember) {
                beginMember();
                continue;
            }
            int produced = inflate(target, offset, length);
            if (produced > 0) {
                checksum.update(target, offset, produced);
            }
            if (inMember && inflater.finished()) {
                endMember();
            }
            if (produced > 0) {
                return produced;
            }
        }
        return -1;
    }

    private int inflate(byte[] target, int offset, int length) throws IOException {
        if (inflater.needsInput()) {
            if (!fill()) {
                stopCut("data");
                return 0;
            }
            inflater.setInput(input, position, limit - position);
        }
        long writtenBefore = inflater.getBytesWritten();
        int produced;
        try {
            produced = inflater.inflate(target, offset, length);
        } catch (DataFormatException e) {
            produced = (int) (inflater.getBytesWritten() - writtenBefore);
            stop(
                    "the gzip data is corrupt near compressed byte "
                            + (consumed + limit - position - inflater.getRemaining())
                            + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")"));
        }
        int left = inflater.getRemaining();
        consumed += limit - position - left;
        position = limit - left;
        if (produced == 0 && inflater.needsDictionary()) {
            stop("the gzip data asks for a dictionary at compressed byte " + consumed);
        }
        return produced;
    }

    private void beginMember() throws IOException {
        if (!has(1)) {
            ended = true;
            return;
        }
        if (!has(HEADER_BYTES)) {
            stopCut("header");
            return;
        }
        int flags = input[position + 3];
        if (u16(0) != 0x8B1F || input[position + 2] != DEFLATE || (flags & RESERVED_FLAGS) != 0) {
            stop("no gzip header where one should begin, at compressed byte " + consumed);
            return;
        }
        advance(HEADER_BYTES);
        boolean whole = true;
        if ((flags & FLAG_EXTRA) != 0) {
            whole = has(2) && skip(2 + u16(0));
        }
        if ((flags & FLAG_NAME) != 0) {
            whole = whole && skipText();
        }
        if ((flags & FLAG_COMMENT) != 0) {
            whole = whole && skipText();
        }
        if ((flags & FLAG_HEADER_CRC) != 0) {
            whole = whole && skip(2);
        }
        if (!whole) {
            stopCut("header");
            return;
        }
        inflater.reset();
        inflater.setInput(input, position, limit - position);
        checksum.reset();
        inMember = true;
    }

    private void endMember() throws IOException {
        inMember = false;
        if (!has(TRAILER_BYTES)) {
            stopCut("trailer");
            return;
        }
        int expected = u16(0) | u16(2) << 16;
        if (expected != (int) checksum.getValue()) {
            stop("the gzip checksum at compressed byte " + consumed + " does not match");
            return;
        }
        advance(TRAILER_BYTES);
    }

    private void stopCut(String what) {
        cut = true;
        stop("the gzip " + what + " is cut after " + consumed + " compressed bytes");
    }

    private void stop(String reason) {
        ended = true;
        inMember = false;
        damage = reason;
    }

    private boolean skipText() throws IOException {
        while (has(1)) {
            boolean last = input[position] == 0;
            advance(1);
            if (last) {
                return true;
            }
        }
        return false;
    }

    private boolean skip(int count) throws IOException {
        int left = count;
        while (left > 0) {
            if (!has(1)) {
                return false;
            }
            int step = Math.min(left, limit - position);
            advance(step);
            left -= step;
        }
        return true;
    }

    /** Whether {@code count} bytes, at most a header's, are available without advancing. */
    private boolean has(int count) throws IOException {
        while (limit - position < count) {
            System.arraycopy(input, position, input, 0, limit - position);
            limit -= position;
            position = 0;
            int read = compressed.read(input, limit, input.length - limit);
            if (read < 0) {
                return false;
            }
            limit += read;
        }
        return true;
    }

    private boolean fill() throws IOException {
        position = 0;
        limit = 0;
        return has(1);
    }

    private void advance(int count) {
        position += count;
        consumed += count;
    }

    private int u16(int at) {
        return (input[position + at] & 0xFF) | (input[position + at + 1] & 0xFF) << 8;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        compressed.close();
    }
}
