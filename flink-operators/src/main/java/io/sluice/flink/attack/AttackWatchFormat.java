/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.flow.Address;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An {@link AttackWatch} as bytes: an envelope ({@link io.sluice.filter.format}) of kind {@value
 * #KIND} ("AW").
 *
 * <pre>
 *   parameters: code of the kind of attack (4), length of a pane in milliseconds (8), the last
 *               closed pane, or Long.MIN_VALUE (8), episodes (4), tallies (4), counts (5 x 8)
 *   payload:    of each episode, in words of 8:
 *                 address (2), port, last pane, attempts, completed, refused, targets, first ms
 *               of each tally, by panes, longest not heard of first:
 *                 pane, address (2), port, attempts, completed, refused, first ms, last ms,
 *                 form of the targets (0 none, 1 list, 2 sketch), their words (1), the words
 * </pre>
 *
 * <p>Panes are numbers of stretches of one length. With another length than it was written with, a
 * tally goes to the pane of its last time.
 */
final class AttackWatchFormat {

    static final int KIND = 'A' << 8 | 'W';

    /** The first one. */
    static final int VERSION_1 = 1;

    private static final int PARAMETER_BYTES =
            3 * Integer.BYTES + (2 + AttackCounts.NUMBERS) * Long.BYTES;
    private static final int EPISODE_WORDS = 9;
    private static final int TALLY_WORDS = 11;
    private static final int NO_TARGETS = 0;
    private static final int LIST = 1;
    private static final int SKETCH = 2;

    private AttackWatchFormat() {}

    /** The stream is neither flushed nor closed. */
    static void write(AttackWatch watch, OutputStream out) throws IOException {
        List<long[]> records = new ArrayList<>();
        watch.episodes().forEach((party, episode) -> records.add(words(party, episode)));
        watch.forEachTally((pane, party, tally) -> records.add(words(pane, party, tally)));
        ByteBuffer parameters =
                ByteBuffer.allocate(PARAMETER_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(watch.settings().kind().code())
                        .putLong(watch.settings().paneMillis())
                        .putLong(watch.closed())
                        .putInt(watch.episodes().size())
                        .putInt((int) watch.tallies());
        for (long count : watch.counts().words()) {
            parameters.putLong(count);
        }
        long words = records.stream().mapToLong(record -> record.length).sum();
        FilterWriter writer =
                new FilterWriter(out, KIND, VERSION_1, parameters.flip(), words * Long.BYTES);
        for (long[] record : records) {
            writer.words(record, 0, record.length);
        }
        writer.finish();
    }

    private static long[] words(Party party, Episode episode) {
        return new long[] {
            party.address().high(),
            party.address().low(),
            party.port(),
            episode.lastPane,
            episode.attempts,
            episode.completed,
            episode.refused,
            episode.targets,
            episode.firstMillis
        };
    }

    private static long[] words(long number, Party party, Tally tally) {
        DistinctTargets targets = tally.distinctTargets();
        long[] more = targets == null ? new long[0] : targets.words();
        long form = targets == null ? NO_TARGETS : targets.isSketch() ? SKETCH : LIST;
        long[] words = {
            number,
            party.address().high(),
            party.address().low(),
            party.port(),
            tally.attempts(),
            tally.completed(),
            tally.refused(),
            tally.firstMillis(),
            tally.lastMillis(),
            form,
            more.length
        };
        long[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return all;
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    static AttackWatch read(
            InputStream in, String source, AttackSettings settings, int partiesOfPane)
            throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_1);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt("impossible parameters of a watch for attacks");
        }
        int kind = from.getInt();
        long paneMillis = from.getLong();
        long closed = from.getLong();
        int episodes = from.getInt();
        int tallies = from.getInt();
        if (kind != settings.kind().code() || paneMillis < 1 || episodes < 0 || tallies < 0) {
            throw reader.corrupt("attacks of kind " + kind + ", panes of " + paneMillis + " ms");
        }
        long[] counts = new long[AttackCounts.NUMBERS];
        from.asLongBuffer().get(counts);
        Panes panes = new Panes(paneMillis, settings.paneMillis());
        AttackWatch watch =
                new AttackWatch(
                        settings, partiesOfPane, panes.closed(closed), AttackCounts.of(counts));
        for (int i = 0; i < episodes; i++) {
            takeEpisode(watch, reader.words(EPISODE_WORDS), panes);
        }
        for (int i = 0; i < tallies; i++) {
            takeTally(watch, reader, panes);
        }
        reader.finish();
        return watch;
    }

    /** From panes of one length to those of another. */
    private record Panes(long written, long now) {

        /** Those are closed that end in closed ones. */
        long closed(long number) {
            return number == AttackWatch.NONE
                    ? AttackWatch.NONE
                    : Math.floorDiv((number + 1) * written, now) - 1;
        }

        long last(long number) {
            return Math.floorDiv((number + 1) * written - 1, now);
        }
    }

    private static void takeEpisode(AttackWatch watch, long[] words, Panes panes) {
        // Not so long ago that it would have had to be cleared.
        long least =
                watch.closed() == AttackWatch.NONE
                        ? AttackWatch.NONE
                        : watch.closed() + 1 - watch.settings().quietPanes();
        Episode episode = new Episode(Math.max(least, panes.last(words[3])), words[8]);
        episode.attempts = words[4];
        episode.completed = words[5];
        episode.refused = words[6];
        episode.targets = words[7];
        watch.put(new Party(new Address(words[0], words[1]), (int) words[2]), episode);
    }

    private static void takeTally(AttackWatch watch, FilterReader reader, Panes panes)
            throws IOException {
        long[] words = reader.words(TALLY_WORDS);
        DistinctTargets targets = targets(reader, words[9], words[10]);
        if ((targets != null) != (watch.settings().kind() == AttackKind.SCAN)) {
            throw reader.corrupt("a tally of another kind of attack");
        }
        long number =
                panes.written() == panes.now()
                        ? words[0]
                        : Math.floorDiv(words[8], watch.settings().paneMillis());
        // Of closed panes the last one is needed.
        if (number >= watch.closed()) {
            watch.put(
                    number,
                    new Party(new Address(words[1], words[2]), (int) words[3]),
                    new Tally(words[4], words[5], words[6], words[7], words[8], targets));
        }
    }

    private static DistinctTargets targets(FilterReader reader, long form, long length)
            throws IOException {
        boolean isPossible =
                form == NO_TARGETS
                        ? length == 0
                        : form == LIST
                                ? length >= 0 && length <= DistinctTargets.EXACT
                                : form == SKETCH && length == DistinctTargets.SKETCH_WORDS;
        if (!isPossible) {
            throw reader.corrupt(length + " words of targets in form " + form);
        }
        return form == NO_TARGETS
                ? null
                : DistinctTargets.of(form == SKETCH, reader.words((int) length));
    }
}
