/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.message;

import io.sluice.filter.cuckoo.sync.Collisions;
import io.sluice.filter.cuckoo.sync.MultisetDigest;
import io.sluice.filter.cuckoo.sync.MultisetDigest.Totals;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.rateless.CodedSymbols;
import io.sluice.filter.rateless.DifferenceSketch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.flink.annotation.Internal;

/**
 * A {@link Message} as bytes: an envelope ({@link io.sluice.filter.format}) of kind {@value #KIND}
 * without payload, and behind it, if the message is a filter, the envelopes of its {@link
 * MultisetDigest}, or that of its {@link CodedSymbols}.
 *
 * <pre>
 *   parameters: kind (1), retry (1), phase (1), 0 (1), round (4), hash of the sender's name (8),
 *               hash of the addressee's name (8), incarnation of the sender (8),
 *               length of windows (8), groups (4), scheme of ids (4), seed (8),
 *               group (4), 0 (4), window (8), serial (8), elements (8), copies (8), checksum (8)
 *   of a repair then: serial of the answer (8), part (4), parts (4), and an {@link ElementBatch}
 *   of a shortage then: symbols (4), 1 if they are contradictory, else 0 (4), and then a
 *               {@link DifferenceSketch}
 * </pre>
 *
 * Equal messages are equal bytes. Reading is total.
 */
@Internal
public final class MessageFormat {

    static final int KIND = 20;

    /** Version 4 added sketches to shortages. */
    static final int VERSION_CURRENT = 4;

    private static final int HEAD_BYTES = 104;
    private static final int REPAIR_BYTES = 16;
    private static final int SHORTAGE_BYTES = 8;

    /** The receiver keeps one bit per part. */
    private static final int MAX_PARTS = 1 << 20;

    /** What a repair takes in addition to its elements: envelope, head, and its own fields. */
    public static final int REPAIR_OVERHEAD_BYTES = 40 + HEAD_BYTES + REPAIR_BYTES;

    /** What coded symbols take in addition to their own envelope. */
    public static final int SYMBOLS_OVERHEAD_BYTES = 40 + HEAD_BYTES;

    private MessageFormat() {}

    public static byte[] write(Message message) {
        Message.Repair repair = message.repair();
        Message.Shortage shortage = message.shortage();
        int most = HEAD_BYTES;
        if (repair != null) {
            most += REPAIR_BYTES + repair.elements().encodedBytes();
        }
        if (shortage != null) {
            most += SHORTAGE_BYTES;
            most += shortage.isContradictory() ? 0 : shortage.sketch().encodedBytes();
        }
        ByteBuffer parameters = ByteBuffer.allocate(most).order(ByteOrder.LITTLE_ENDIAN);
        putHead(message.head(), parameters);
        if (repair != null) {
            parameters.putLong(repair.answer()).putInt(repair.part()).putInt(repair.parts());
            repair.elements().write(parameters);
        }
        if (shortage != null) {
            parameters.putInt(shortage.symbols()).putInt(shortage.isContradictory() ? 1 : 0);
            if (!shortage.isContradictory()) {
                shortage.sketch().write(parameters);
            }
        }
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream(most + 64);
            new FilterWriter(out, KIND, VERSION_CURRENT, parameters.flip(), 0).finish();
            if (message.filter() != null) {
                message.filter().writeTo(out);
            }
            if (message.symbols() != null) {
                message.symbols().writeTo(out);
            }
            return out.toByteArray();
        } catch (IOException e) {
            throw new AssertionError("an array takes all bytes", e);
        }
    }

    private static void putHead(Message.Head head, ByteBuffer to) {
        Setup setup = head.setup();
        Totals totals = head.totals();
        to.put((byte) head.kind().code())
                .put((byte) (head.retry() ? 1 : 0))
                .put((byte) head.phase().code())
                .put((byte) 0)
                .putInt(head.round())
                .putLong(head.replica())
                .putLong(head.peer())
                .putLong(head.incarnation())
                .putLong(setup.windowMillis())
                .putInt(setup.groups())
                .putInt(setup.scheme())
                .putLong(setup.seed())
                .putInt(head.group())
                .putInt(0)
                .putLong(head.window())
                .putLong(head.serial())
                .putLong(totals.elements())
                .putLong(totals.copies())
                .putLong(totals.checksum());
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param source what is read, for messages
     * @throws CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static Message read(byte[] bytes, String source) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(bytes);
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() < HEAD_BYTES) {
            throw reader.corrupt(from.remaining() + " bytes of parameters, at least " + HEAD_BYTES);
        }
        Message.Head head = head(reader, from);
        MessageKind kind = head.kind();
        Message.Repair repair = kind == MessageKind.REPAIR ? repair(reader, from) : null;
        Message.Shortage shortage = kind == MessageKind.SHORTAGE ? shortage(reader, from) : null;
        if (from.hasRemaining()) {
            throw reader.corrupt(from.remaining() + " bytes behind the parameters");
        }
        reader.finish();
        MultisetDigest filter = null;
        if (kind == MessageKind.FILTER) {
            filter = MultisetDigest.readFrom(in, source);
            if (filter.totals().elements() != head.totals().elements()
                    || filter.collisions() != Collisions.SEPARATE) {
                throw reader.corrupt("a filter of another multiset: " + filter);
            }
        }
        CodedSymbols symbols = null;
        if (kind == MessageKind.SYMBOLS) {
            symbols = CodedSymbols.readFrom(in, source);
            if (symbols.first() != 0 || symbols.size() == 0) {
                throw reader.corrupt("not the first symbols: " + symbols);
            }
            if (symbols.copies() != head.totals().copies()) {
                throw reader.corrupt("symbols of another multiset: " + symbols);
            }
        }
        if (in.available() > 0) {
            throw reader.corrupt(in.available() + " bytes behind the message");
        }
        return new Message(head, filter, repair, symbols, shortage);
    }

    private static Message.Shortage shortage(FilterReader reader, ByteBuffer from)
            throws IOException {
        if (from.remaining() < SHORTAGE_BYTES) {
            throw reader.corrupt("a shortage of " + from.remaining() + " bytes");
        }
        int symbols = from.getInt();
        int contradictory = from.getInt();
        if (symbols < 1 || (contradictory & ~1) != 0) {
            throw reader.corrupt("an impossible shortage of " + symbols + " symbols");
        }
        if (contradictory == 1) {
            return new Message.Shortage(symbols, null);
        }
        try {
            return new Message.Shortage(symbols, DifferenceSketch.read(from));
        } catch (IllegalArgumentException e) {
            throw reader.corrupt("an impossible sketch: " + e.getMessage());
        }
    }

    private static Message.Head head(FilterReader reader, ByteBuffer from) throws IOException {
        MessageKind kind = MessageKind.ofCode(from.get());
        int retry = from.get();
        Phase phase = Phase.ofCode(from.get());
        byte reserved = from.get();
        int round = from.getInt();
        long replica = from.getLong();
        long peer = from.getLong();
        long incarnation = from.getLong();
        long windowMillis = from.getLong();
        int groups = from.getInt();
        int scheme = from.getInt();
        long seed = from.getLong();
        int group = from.getInt();
        int alsoReserved = from.getInt();
        long window = from.getLong();
        long serial = from.getLong();
        Totals totals = new Totals(from.getLong(), from.getLong(), from.getLong());
        if (kind == null
                || phase == null
                || (retry & ~1) != 0
                || reserved != 0
                || alsoReserved != 0
                || round < 0
                || serial < 1
                || incarnation < 1
                || (phase.isOver() && kind != MessageKind.DIGEST)
                || totals.elements() < 0
                || totals.copies() < totals.elements()) {
            throw reader.corrupt("an impossible message about window " + window);
        }
        Setup setup;
        try {
            setup = new Setup(windowMillis, groups, scheme, seed);
        } catch (IllegalArgumentException e) {
            throw reader.corrupt("an impossible setup: " + e.getMessage());
        }
        if (group < 0
                || group >= groups
                || !setup.hasWindow(window)
                || Math.floorMod(window, windowMillis) != 0) {
            throw reader.corrupt("no window " + window + " in group " + group + " of " + setup);
        }
        return new Message.Head(
                kind,
                replica,
                peer,
                incarnation,
                setup,
                group,
                window,
                serial,
                retry == 1,
                phase,
                round,
                totals);
    }

    private static Message.Repair repair(FilterReader reader, ByteBuffer from) throws IOException {
        if (from.remaining() < REPAIR_BYTES) {
            throw reader.corrupt("a repair of " + from.remaining() + " bytes");
        }
        long answer = from.getLong();
        int part = from.getInt();
        int parts = from.getInt();
        if (answer < 1 || part < 0 || part >= parts || parts > MAX_PARTS) {
            throw reader.corrupt("part " + part + " of " + parts + " of answer " + answer);
        }
        try {
            return new Message.Repair(answer, part, parts, ElementBatch.read(from));
        } catch (IllegalArgumentException e) {
            throw reader.corrupt("impossible elements: " + e.getMessage());
        }
    }
}
