/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.machine.MachineCounts;
import io.sluice.flink.machine.MachineCounts.Of;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.flink.annotation.Internal;

/**
 * Counts what became of packets and flows. Each packet is followed, ambiguous, refused, without
 * room, or late. Each flow that began has ended, has timed out, or is still held.
 *
 * <p>Persistent form: an envelope ({@link io.sluice.filter.format}) of kind {@value #KIND} ("FC")
 * without parameters; its payload is the numbers, 8 bytes each, in the order of the methods here:
 * packets to completed, then ended and timed out by code of the state.
 *
 * <p>Not thread-safe.
 */
@Internal
public final class FlowCounts {

    static final int KIND = 'F' << 8 | 'C';

    /** The first version. */
    static final int VERSION_1 = 1;

    /** Written counts go no further, so that sums of them do not overflow. */
    static final long MOST = 1L << 56;

    /** The counts that are not arrays. */
    private static final int SINGLE_NUMBERS = 9;

    private static final int NUMBERS = SINGLE_NUMBERS + 2 * ConnState.COUNT;

    private final MachineCounts machines = new MachineCounts();
    private long illegal;
    private long began;
    private long finAndRst;
    private long attempts;
    private long completed;
    private final long[] ended = new long[ConnState.COUNT];
    private final long[] timedOut = new long[ConnState.COUNT];

    /** All packets given. */
    public long packets() {
        return machines.get(Of.EVENTS);
    }

    /** Packets whose flow's state could not be told: they changed nothing. */
    public long ambiguous() {
        return machines.get(Of.AMBIGUOUS);
    }

    /** Packets whose change of state an approximate store refused. */
    public long refused() {
        return machines.get(Of.REFUSED);
    }

    /** Packets whose change of state found no room. */
    public long withoutRoom() {
        return machines.get(Of.WITHOUT_ROOM);
    }

    /** Packets whose flags contradict each other ({@link TcpFlags#isIllegal}). */
    public long illegal() {
        return illegal;
    }

    /** Flows that began. */
    public long began() {
        return began;
    }

    /** Flows that had a FIN and a RST. */
    public long finAndRst() {
        return finAndRst;
    }

    /** Connections that were asked for by a SYN. */
    public long attempts() {
        return attempts;
    }

    /**
     * Asked-for connections whose originator is known to have completed the handshake. The others
     * were refused; if there are many, they are scans and floods.
     */
    public long completed() {
        return completed;
    }

    /** Flows that ended in this way. */
    public long ended(ConnState state) {
        return ended[state.code()];
    }

    /** Flows that ended. */
    public long ended() {
        return sum(ended);
    }

    /** Flows that were in this state when they timed out. */
    public long timedOut(ConnState state) {
        return timedOut[state.code()];
    }

    /** Flows that timed out. */
    public long timedOut() {
        return sum(timedOut);
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    /** Counts a packet that need not be followed. */
    void packet(int flags) {
        machines.add(Of.EVENTS, 1);
        flags(flags);
    }

    /** Counts the flags of a packet. */
    void flags(int flags) {
        illegal += TcpFlags.isIllegal(flags) ? 1 : 0;
    }

    /** Returns the counts of packets that are not about TCP. */
    MachineCounts machines() {
        return machines;
    }

    void followed(int transition) {
        if (ConnectionMachine.begins(transition)) {
            began++;
        }
        if (ConnectionMachine.hasBoth(transition)) {
            finAndRst++;
        }
        if (ConnectionMachine.isAttempt(transition)) {
            attempts++;
        }
        if (ConnectionMachine.completesHandshake(transition)) {
            completed++;
        }
        if (ConnectionMachine.ends(transition)) {
            ended[ConnectionMachine.end(transition).code()]++;
        }
    }

    void timedOut(ConnState state, long count) {
        timedOut[state.code()] += count;
    }

    /** Adds what {@code other} counted. */
    public void add(FlowCounts other) {
        long[] numbers = numbers();
        long[] more = other.numbers();
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] += more[i];
        }
        set(numbers);
    }

    /** All of them, none beyond {@link #MOST}. */
    private long[] numbers() {
        long[] numbers = new long[NUMBERS];
        numbers[0] = machines.get(Of.EVENTS);
        numbers[1] = machines.get(Of.AMBIGUOUS);
        numbers[2] = machines.get(Of.REFUSED);
        numbers[3] = machines.get(Of.WITHOUT_ROOM);
        numbers[4] = illegal;
        numbers[5] = began;
        numbers[6] = finAndRst;
        numbers[7] = attempts;
        numbers[8] = completed;
        System.arraycopy(ended, 0, numbers, SINGLE_NUMBERS, ended.length);
        System.arraycopy(timedOut, 0, numbers, SINGLE_NUMBERS + ended.length, timedOut.length);
        for (int i = 0; i < NUMBERS; i++) {
            numbers[i] = Math.max(-MOST, Math.min(MOST, numbers[i]));
        }
        return numbers;
    }

    private void set(long[] numbers) {
        machines.set(Of.EVENTS, numbers[0]);
        machines.set(Of.AMBIGUOUS, numbers[1]);
        machines.set(Of.REFUSED, numbers[2]);
        machines.set(Of.WITHOUT_ROOM, numbers[3]);
        illegal = numbers[4];
        began = numbers[5];
        finAndRst = numbers[6];
        attempts = numbers[7];
        completed = numbers[8];
        System.arraycopy(numbers, SINGLE_NUMBERS, ended, 0, ended.length);
        System.arraycopy(numbers, SINGLE_NUMBERS + ended.length, timedOut, 0, timedOut.length);
    }

    /** Writes all counts. The stream is neither flushed nor closed. */
    public void writeTo(OutputStream out) throws IOException {
        FilterWriter writer =
                new FilterWriter(
                        out, KIND, VERSION_1, ByteBuffer.allocate(0), NUMBERS * Long.BYTES);
        writer.words(numbers(), 0, NUMBERS);
        writer.finish();
    }

    /**
     * Reads what {@link #writeTo} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static FlowCounts readFrom(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_1);
        if (reader.payloadLeft() != NUMBERS * Long.BYTES) {
            throw reader.corrupt("counts of " + reader.payloadLeft() + " bytes");
        }
        long[] numbers = reader.words(NUMBERS);
        reader.finish();
        for (int i = 0; i < NUMBERS; i++) {
            // Stores may take back flows that they had taken for others, see ExpiryListener.
            long least = i < SINGLE_NUMBERS + ConnState.COUNT ? 0 : -MOST;
            if (numbers[i] < least || numbers[i] > MOST) {
                throw reader.corrupt("an impossible count: " + numbers[i]);
            }
        }
        FlowCounts counts = new FlowCounts();
        counts.set(numbers);
        return counts;
    }
}
