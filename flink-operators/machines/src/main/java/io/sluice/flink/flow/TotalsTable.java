/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.hash.HashSpread;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * The totals of the open flows of a key group: rows of 12 numbers without gaps, and an index of
 * them by hash, open addressing with linear probing, at most three quarters full. That is {@value
 * #ROW_BYTES} bytes a flow and 5 to 11 for the index. A row that leaves is replaced by the last
 * one. Rows are in pieces of {@value #ROWS_OF_A_PIECE}, so that growing copies none.
 *
 * <p>A row knows the two ends of a flow as the lower and the upper one ({@link TcpView#fromLower}):
 * who began may turn out later.
 *
 * <p>O(1) per operation, amortised. Where rows are in the index is secret ({@link HashSpread}), but
 * what the calls answer does not depend on it. Not thread-safe.
 */
@Internal
public final class TotalsTable {

    /** {@link #find}: not there. */
    static final int ABSENT = -1;

    static final int COLUMNS = 12;
    static final int ROW_BYTES = COLUMNS * Long.BYTES;

    static final int HASH = 0;
    static final int LOWER_HIGH = 1;
    static final int LOWER_LOW = 2;
    static final int UPPER_HIGH = 3;
    static final int UPPER_LOW = 4;

    /** Port of the lower end, port of the upper one, both VLANs, and the bits below. */
    static final int PORTS = 5;

    static final int FIRST = 6;
    static final int LAST = 7;

    /** The next one is that of the upper end. */
    static final int PACKETS = 8;

    /** The next one is that of the upper end. */
    static final int BYTES = 10;

    /** A bit of {@link #PORTS}: the ends are known. */
    static final int HAS_ENDS = 1;

    /** A bit of {@link #PORTS}: the lower end sent the first packet. */
    static final int FIRST_FROM_LOWER = 1 << 1;

    static final int BITS = HAS_ENDS | FIRST_FROM_LOWER;
    static final int INNER_VLAN_SHIFT = 8;
    static final int VLAN_SHIFT = 20;
    static final int UPPER_PORT_SHIFT = 32;
    static final int LOWER_PORT_SHIFT = 48;
    static final int VLAN_MASK = 0xfff;
    private static final int PORT_MASK = 0xffff;

    static final int MAX_ROWS = 1 << 29;
    private static final int ROWS_OF_A_PIECE = 16;
    private static final int PIECE_BYTES = ROWS_OF_A_PIECE * ROW_BYTES;
    private static final int MIN_SLOTS = 16;

    private final StoreMemory.Claim memory;
    private final HashSpread spread = HashSpread.secret();

    /** The number of a row, plus one; 0 where there is none. */
    private int[] slots = new int[MIN_SLOTS];

    private long[][] pieces = new long[1][];
    private int piecesHeld;
    private int rows;
    private long withoutRoom;

    public TotalsTable(StoreMemory memory) {
        this.memory = requireNonNull(memory, "memory").claim();
        this.memory.charge(sizeInBytes());
    }

    /**
     * Adds a flow without packets.
     *
     * @param ends of its first packet; null if they are not known
     * @param fromLower whether the lower end sent that packet
     * @return its row, or {@link #ABSENT} if there is no room
     * @throws io.sluice.filter.FilterFullException if there is none, and that is to fail the job
     */
    int begin(long hash, @Nullable Endpoints ends, boolean fromLower, long millis) {
        int row = find(hash);
        if (row == ABSENT) {
            if (!makeRoom()) {
                withoutRoom++;
                return ABSENT;
            }
            row = rows;
            append(hash);
        }
        long[] piece = piece(row);
        int at = at(row);
        Arrays.fill(piece, at + 1, at + COLUMNS, 0);
        if (ends != null) {
            Endpoints ordered = fromLower ? ends : ends.reversed();
            piece[at + LOWER_HIGH] = ordered.from().high();
            piece[at + LOWER_LOW] = ordered.from().low();
            piece[at + UPPER_HIGH] = ordered.to().high();
            piece[at + UPPER_LOW] = ordered.to().low();
            piece[at + PORTS] =
                    (long) ordered.fromPort() << LOWER_PORT_SHIFT
                            | (long) ordered.toPort() << UPPER_PORT_SHIFT
                            | (long) ordered.vlan() << VLAN_SHIFT
                            | (long) ordered.innerVlan() << INNER_VLAN_SHIFT
                            | HAS_ENDS;
        }
        piece[at + PORTS] |= fromLower ? FIRST_FROM_LOWER : 0;
        piece[at + FIRST] = millis;
        piece[at + LAST] = millis;
        return row;
    }

    /** Returns the row of a flow, until another one leaves; {@link #ABSENT} if there is none. */
    int find(long hash) {
        for (int slot = spread.slot(hash, slots.length); slots[slot] != 0; slot = next(slot)) {
            int row = slots[slot] - 1;
            if (piece(row)[at(row)] == hash) {
                return row;
            }
        }
        return ABSENT;
    }

    /** Adds packets of one end. */
    void add(int row, boolean fromLower, long packets, long bytes, long millis) {
        long[] piece = piece(row);
        int at = at(row);
        int side = fromLower ? 0 : 1;
        piece[at + PACKETS + side] = sum(piece[at + PACKETS + side], packets);
        piece[at + BYTES + side] = sum(piece[at + BYTES + side], bytes);
        piece[at + FIRST] = Math.min(piece[at + FIRST], millis);
        piece[at + LAST] = Math.max(piece[at + LAST], millis);
    }

    /** Sums of numbers that nobody counted go no further. */
    private static long sum(long before, long more) {
        long sum = before + more;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Whether the lower end sent the first packet. */
    boolean isFirstFromLower(int row) {
        return (piece(row)[at(row) + PORTS] & FIRST_FROM_LOWER) != 0;
    }

    /** Returns what a row has. */
    FlowTotals totals(int row, boolean originatorIsLower) {
        long[] piece = piece(row);
        int at = at(row);
        int originator = originatorIsLower ? 0 : 1;
        int responder = originatorIsLower ? 1 : 0;
        return new FlowTotals(
                ends(piece, at, originatorIsLower),
                piece[at + FIRST],
                piece[at + LAST],
                piece[at + PACKETS + originator],
                piece[at + BYTES + originator],
                piece[at + PACKETS + responder],
                piece[at + BYTES + responder]);
    }

    private static @Nullable Endpoints ends(long[] piece, int at, boolean originatorIsLower) {
        long ports = piece[at + PORTS];
        if ((ports & HAS_ENDS) == 0) {
            return null;
        }
        Endpoints fromLower =
                new Endpoints(
                        new Address(piece[at + LOWER_HIGH], piece[at + LOWER_LOW]),
                        (int) (ports >>> LOWER_PORT_SHIFT),
                        new Address(piece[at + UPPER_HIGH], piece[at + UPPER_LOW]),
                        (int) (ports >>> UPPER_PORT_SHIFT) & PORT_MASK,
                        (int) (ports >>> VLAN_SHIFT) & VLAN_MASK,
                        (int) (ports >>> INNER_VLAN_SHIFT) & VLAN_MASK);
        return originatorIsLower ? fromLower : fromLower.reversed();
    }

    /** Removes a row; the last one takes its place. */
    void remove(int row) {
        free(slotOf(row));
        int last = rows - 1;
        if (row != last) {
            slots[slotOf(last)] = row + 1;
            System.arraycopy(piece(last), at(last), piece(row), at(row), COLUMNS);
        }
        rows--;
        // One piece in reserve, so that a flow that comes and goes does not allocate each time.
        if (piecesHeld - piecesOf(rows) > 1) {
            pieces[--piecesHeld] = null;
            memory.charge(-PIECE_BYTES);
        }
        if (slots.length > MIN_SLOTS && 8L * rows < slots.length) {
            resize(slots.length / 2);
        }
    }

    /** Removes all rows, and keeps the memory for others. */
    void clear() {
        rows = 0;
        Arrays.fill(slots, 0);
    }

    private int slotOf(int row) {
        int slot = spread.slot(piece(row)[at(row)], slots.length);
        while (slots[slot] != row + 1) {
            slot = next(slot);
        }
        return slot;
    }

    /** Frees a slot, and moves back what was put behind it for lack of it. */
    private void free(int freed) {
        int gap = freed;
        for (int slot = next(gap); slots[slot] != 0; slot = next(slot)) {
            int row = slots[slot] - 1;
            int home = spread.slot(piece(row)[at(row)], slots.length);
            boolean mayMove =
                    ((slot - home) & (slots.length - 1)) >= ((slot - gap) & (slots.length - 1));
            if (mayMove) {
                slots[gap] = slots[slot];
                gap = slot;
            }
        }
        slots[gap] = 0;
    }

    private boolean makeRoom() {
        if (rows == MAX_ROWS) {
            return false;
        }
        boolean isFull = 4L * (rows + 1) > 3L * slots.length;
        boolean needsPiece = piecesOf(rows + 1) > piecesHeld;
        long bytes =
                (isFull ? (long) slots.length * Integer.BYTES : 0) + (needsPiece ? PIECE_BYTES : 0);
        if (bytes > 0 && !memory.hasRoom(bytes)) {
            memory.refuse(bytes);
            return false;
        }
        return true;
    }

    /** Adds a row of which only the hash is set, whatever the memory. */
    private void append(long hash) {
        if (4L * (rows + 1) > 3L * slots.length) {
            resize(2 * slots.length);
        }
        if (piecesOf(rows + 1) > piecesHeld) {
            if (piecesHeld == pieces.length) {
                pieces = Arrays.copyOf(pieces, 2 * pieces.length);
            }
            pieces[piecesHeld++] = new long[ROWS_OF_A_PIECE * COLUMNS];
            memory.charge(PIECE_BYTES);
        }
        piece(rows)[at(rows)] = hash;
        enter(rows++);
    }

    private void enter(int row) {
        int slot = spread.slot(piece(row)[at(row)], slots.length);
        while (slots[slot] != 0) {
            slot = next(slot);
        }
        slots[slot] = row + 1;
    }

    private void resize(int length) {
        memory.charge((long) (length - slots.length) * Integer.BYTES);
        slots = new int[length];
        for (int row = 0; row < rows; row++) {
            enter(row);
        }
    }

    private int next(int slot) {
        return (slot + 1) & (slots.length - 1);
    }

    private long[] piece(int row) {
        return pieces[row / ROWS_OF_A_PIECE];
    }

    private static int at(int row) {
        return row % ROWS_OF_A_PIECE * COLUMNS;
    }

    private static int piecesOf(int rows) {
        return (rows + ROWS_OF_A_PIECE - 1) / ROWS_OF_A_PIECE;
    }

    /** Flows that have totals. */
    public int flows() {
        return rows;
    }

    /** Flows that began when there was no room for their totals, since this table was made. */
    public long withoutRoom() {
        return withoutRoom;
    }

    /** Bytes occupied on the heap. */
    public long sizeInBytes() {
        return (long) slots.length * Integer.BYTES + (long) piecesHeld * PIECE_BYTES;
    }

    /** Passes each row, in the order of their numbers. */
    interface Visitor {
        /**
         * Called with the piece that has the {@value #COLUMNS} numbers of the row from there on.
         */
        void visit(long[] piece, int at) throws IOException;
    }

    void forEach(Visitor visitor) throws IOException {
        for (int row = 0; row < rows; row++) {
            visitor.visit(piece(row), at(row));
        }
    }

    /**
     * Takes in a row that was read, whatever the memory.
     *
     * @return false if its flow is already there
     */
    boolean take(long[] row) {
        if (find(row[HASH]) != ABSENT) {
            return false;
        }
        append(row[HASH]);
        System.arraycopy(row, 0, piece(rows - 1), at(rows - 1), COLUMNS);
        return true;
    }

    /** Writes everything, with version and checksum. The stream is neither flushed nor closed. */
    public void writeTo(OutputStream out) throws IOException {
        TotalsFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static TotalsTable readFrom(InputStream in, String source, StoreMemory memory)
            throws IOException {
        return TotalsFormat.read(in, source, memory);
    }
}
