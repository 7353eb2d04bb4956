/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Persistent form of an {@link AdaptiveForgetfulFilter}: an envelope ({@link
 * io.sluice.filter.format}) of kind {@value #KIND} without payload, followed by the filter in
 * {@link ForgetfulBloomFilterFormat its own format}. The policy is code, so the caller gives it to
 * the reader.
 *
 * <pre>
 *   parameters: window (8), interval of decisions (8), target probability (8),
 *               t (8), N (4), clock (8), last refresh (8), last decision (8), last change (8),
 *               ids added since the last decision (8), ids per second before it (8),
 *               number of ages (4), when the slice of each ended, from age 1 on (8 each)
 * </pre>
 */
final class AdaptiveForgetfulFilterFormat {

    static final int KIND = 11;

    /** The first one. */
    static final int VERSION_1 = 1;

    static final int VERSION_CURRENT = VERSION_1;

    /** Greatest time or interval: sums and differences of them do not overflow. */
    static final long MAX_MILLIS = 1L << 61;

    /** Nobody adds more ids between two decisions: a filter that was read counts up to here. */
    static final long MAX_ADDED = 1L << 61;

    private static final int FIXED_BYTES = 10 * Long.BYTES + 2 * Integer.BYTES;

    /** The controller's state, apart from the filter; times are in ms. */
    record State(
            long windowMillis,
            long decideMillis,
            double targetFpp,
            long refreshMillis,
            int pastFilters,
            long clock,
            long lastRefresh,
            long lastDecision,
            long lastChange,
            long addedSinceDecision,
            double ratePerSecond,
            List<Long> ended) {

        private boolean isPossible() {
            return windowMillis >= 1
                    && windowMillis <= MAX_MILLIS
                    && decideMillis >= 1
                    && decideMillis <= MAX_MILLIS
                    && refreshMillis <= MAX_MILLIS
                    && clock <= MAX_MILLIS
                    && lastRefresh >= -MAX_MILLIS
                    && lastDecision >= -MAX_MILLIS
                    && lastChange >= -MAX_MILLIS
                    && addedSinceDecision <= MAX_ADDED
                    && ended.stream().allMatch(end -> end >= -MAX_MILLIS && end <= clock)
                    && targetFpp > 0
                    && targetFpp < 1
                    && refreshMillis >= 1
                    && pastFilters >= 1
                    && lastRefresh <= clock
                    && lastDecision <= clock
                    && lastChange <= clock
                    && addedSinceDecision >= 0
                    && ratePerSecond >= 0
                    && ratePerSecond < Double.POSITIVE_INFINITY;
        }

        /** Whether it can be the state of a controller of {@code filter}. */
        private boolean fits(ForgetfulBloomFilter filter) {
            return filter.rule() != SeenRule.SIMPLE
                    && filter.pastFilters() == filter.maxPastFilters()
                    && pastFilters <= filter.maxPastFilters()
                    && ended.size() == filter.filters() - 1;
        }
    }

    private AdaptiveForgetfulFilterFormat() {}

    static void write(State state, ForgetfulBloomFilter filter, OutputStream out)
            throws IOException {
        ByteBuffer parameters =
                ByteBuffer.allocate(FIXED_BYTES + state.ended.size() * Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(state.windowMillis)
                        .putLong(state.decideMillis)
                        .putDouble(state.targetFpp)
                        .putLong(state.refreshMillis)
                        .putInt(state.pastFilters)
                        .putLong(state.clock)
                        .putLong(state.lastRefresh)
                        .putLong(state.lastDecision)
                        .putLong(state.lastChange)
                        .putLong(state.addedSinceDecision)
                        .putDouble(state.ratePerSecond)
                        .putInt(state.ended.size());
        for (long end : state.ended) {
            parameters.putLong(end);
        }
        new FilterWriter(out, KIND, VERSION_CURRENT, parameters.flip(), 0).finish();
        filter.writeTo(out);
    }

    static AdaptiveForgetfulFilter read(InputStream in, String source, ResizePolicy policy)
            throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT);
        State state = readState(reader);
        if (!state.isPossible() || reader.payloadLeft() != 0) {
            throw reader.corrupt("impossible parameters of an adaptive filter");
        }
        reader.finish();
        ForgetfulBloomFilter filter = ForgetfulBloomFilter.readFrom(in, source);
        if (!state.fits(filter)) {
            throw reader.corrupt("the filter after the parameters does not belong to them");
        }
        return new AdaptiveForgetfulFilter(filter, policy, state);
    }

    private static State readState(FilterReader reader) throws IOException {
        ByteBuffer from = reader.parameters();
        try {
            return new State(
                    from.getLong(),
                    from.getLong(),
                    from.getDouble(),
                    from.getLong(),
                    from.getInt(),
                    from.getLong(),
                    from.getLong(),
                    from.getLong(),
                    from.getLong(),
                    from.getLong(),
                    from.getDouble(),
                    ends(from, reader));
        } catch (BufferUnderflowException e) {
            throw reader.corrupt("parameters end too early");
        }
    }

    private static List<Long> ends(ByteBuffer from, FilterReader reader) throws IOException {
        int ages = from.getInt();
        if (ages < 0 || from.remaining() != (long) ages * Long.BYTES) {
            throw reader.corrupt("impossible number of ages: " + ages);
        }
        List<Long> ended = new ArrayList<>(ages);
        for (int age = 1; age <= ages; age++) {
            ended.add(from.getLong());
        }
        return ended;
    }
}
