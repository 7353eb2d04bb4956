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
import java.util.List;

/**
 * An {@link AttackWatch} as bytes: an envelope ({@link io.sluice.filter.format}) of kind {@value
 * #KIND} ("AW").
 *
 * <pre>
 *   parameters: code of the kind of attack (4), length of a pane in milliseconds (8), the last
 *               closed pane, or Long.MIN_VALUE (8), episodes (4), tallies (4), counts (6 x 8)
 *   payload:    of each episode, in words of 8:
 *                 address (2), port, first pane, last pane, attempts, completed, refused, targets,
 *                 first ms
 *               of each tally, by panes, least recently updated first:
 *                 pane, address (2), port, attempts, completed, refused, first ms, last ms,
 *                 1 if it was judged, 1 if an episode has counted of it,
 *                 form of the targets (0 none, 1 list, 2 sketch), their words (1), the words,
 *                 if an episode has counted of it: attempts, completed, refused
 * </pre>
 *
 * <p>Panes are numbers of stretches of one length. With another length than it was written with, a
 * tally goes to the pane of its last time.
 */
final class AttackWatchFormat {

    static final int KIND = 'A' << 8 | 'W';

    /** Version 1 did not say what was judged and reported, and is not read. */
    static final int VERSION = 2;

    private static final int PARAMETER_BYTES =
            3 * Integer.BYTES + (2 + AttackCounts.NUMBERS) * Long.BYTES;
    private static final int EPISODE_WORDS = 10;
    private static final int TALLY_WORDS = 13;
    private static final int REPORTED_WORDS = 3;
    private static final int NO_TARGETS = 0;
    private static final int LIST = 1;
    private static final int SKETCH = 2;
    private static final int MAX_PORT = 0xffff;
    private static final long MAX_PANE_MILLIS = AttackSettings.MAX_WINDOW.toMillis() / 2;

    private AttackWatchFormat() {}

    /** The stream is neither flushed nor closed. */
    static void write(AttackWatch watch, OutputStream out) throws IOException {
        List<long[]> records = new ArrayList<>();
        watch.episodes().forEach((party, episode) -> records.add(words(party, episode)));
        watch.forEachTally((pane, tally) -> records.add(words(pane, tally)));
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
                new FilterWriter(out, KIND, VERSION, parameters.flip(), words * Long.BYTES);
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
            episode.firstPane,
            episode.lastPane,
            episode.counts.attempts,
            episode.counts.completed,
            episode.counts.refused,
            episode.targets,
            episode.firstMillis
        };
    }

    private static long[] words(long number, Tally tally) {
        DistinctTargets targets = tally.distinctTargets();
        long[] more = targets == null ? new long[0] : targets.words();
        TallyCounts reported = tally.reported();
        int length = TALLY_WORDS + more.length + (reported == null ? 0 : REPORTED_WORDS);
        ByteBuffer words = ByteBuffer.allocate(length * Long.BYTES);
        words.putLong(number)
                .putLong(tally.party().address().high())
                .putLong(tally.party().address().low())
                .putLong(tally.party().port())
                .putLong(tally.attempts())
                .putLong(tally.completed())
                .putLong(tally.refused())
                .putLong(tally.firstMillis())
                .putLong(tally.lastMillis())
                .putLong(tally.isSettled() ? 1 : 0)
                .putLong(reported == null ? 0 : 1)
                .putLong(targets == null ? NO_TARGETS : targets.isSketch() ? SKETCH : LIST)
                .putLong(more.length);
        for (long word : more) {
            words.putLong(word);
        }
        if (reported != null) {
            words.putLong(reported.attempts).putLong(reported.completed).putLong(reported.refused);
        }
        long[] all = new long[length];
        words.flip().asLongBuffer().get(all);
        return all;
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    static AttackWatch read(InputStream in, String source, AttackSettings settings, Room room)
            throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION, VERSION);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt("impossible parameters of a watch for attacks");
        }
        int kind = from.getInt();
        long paneMillis = from.getLong();
        long closed = from.getLong();
        int episodes = from.getInt();
        int tallies = from.getInt();
        if (kind != settings.kind().code()
                || paneMillis < 1
                || paneMillis > MAX_PANE_MILLIS
                || episodes < 0
                || tallies < 0) {
            throw reader.corrupt("attacks of kind " + kind + ", panes of " + paneMillis + " ms");
        }
        long[] counts = new long[AttackCounts.NUMBERS];
        from.asLongBuffer().get(counts);
        for (long count : counts) {
            check(isCount(count), reader, "an impossible count");
        }
        Panes panes = new Panes(paneMillis, settings.paneMillis());
        check(closed == AttackWatch.NONE || panes.isClosable(closed), reader, "an impossible pane");
        AttackWatch watch =
                new AttackWatch(settings, room, AttackCounts.of(counts))
                        .restoredAt(panes.closed(closed));
        for (int i = 0; i < episodes; i++) {
            takeEpisode(watch, reader, panes);
        }
        for (int i = 0; i < tallies; i++) {
            takeTally(watch, reader, panes);
        }
        reader.finish();
        return watch;
    }

    private static void check(boolean isPossible, FilterReader reader, String what)
            throws IOException {
        if (!isPossible) {
            throw reader.corrupt(what);
        }
    }

    /** From panes of one length to those of another. */
    private record Panes(long written, long now) {

        /** Whether it contains a time. */
        boolean isPossible(long number) {
            return number >= AttackWatch.firstPane(written)
                    && number <= AttackWatch.lastPane(written);
        }

        /** Whether it can be closed: no watermark gets behind the last pane of all. */
        boolean isClosable(long number) {
            return isPossible(number) && number < AttackWatch.lastPane(written);
        }

        /** The last pane of the new length that ends within closed panes. */
        long closed(long number) {
            return number == AttackWatch.NONE
                    ? AttackWatch.NONE
                    : AttackWatch.closedBy(AttackWatch.lastMillis(number, written), now);
        }

        long last(long number) {
            return Math.floorDiv(AttackWatch.lastMillis(number, written), now);
        }
    }

    private static boolean isCount(long number) {
        return number >= 0 && number <= TallyCounts.MOST;
    }

    private static Party party(AttackWatch watch, FilterReader reader, long[] words, int at)
            throws IOException {
        long port = words[at + 2];
        check(
                watch.settings().kind() == AttackKind.SCAN
                        ? port == Party.NO_PORT
                        : port >= 0 && port <= MAX_PORT,
                reader,
                "a party with port " + port);
        return new Party(new Address(words[at], words[at + 1]), (int) port);
    }

    private static TallyCounts counts(FilterReader reader, long[] words, int at)
            throws IOException {
        check(
                isCount(words[at]) && isCount(words[at + 1]) && isCount(words[at + 2]),
                reader,
                "an impossible count");
        return new TallyCounts(words[at], words[at + 1], words[at + 2]);
    }

    private static void takeEpisode(AttackWatch watch, FilterReader reader, Panes panes)
            throws IOException {
        long[] words = reader.words(EPISODE_WORDS);
        Party party = party(watch, reader, words, 0);
        long first = words[3];
        long last = words[4];
        check(
                panes.isPossible(first) && panes.isPossible(last) && first <= last,
                reader,
                "an attack from pane " + first + " to pane " + last);
        check(isCount(words[8]), reader, "an impossible count");
        check(!watch.episodes().containsKey(party), reader, "an attack that is there twice");
        watch.restore(
                party,
                new Episode(
                        panes.last(first),
                        panes.last(last),
                        counts(reader, words, 5),
                        words[8],
                        words[9]));
    }

    private static void takeTally(AttackWatch watch, FilterReader reader, Panes panes)
            throws IOException {
        long[] words = reader.words(TALLY_WORDS);
        Party party = party(watch, reader, words, 1);
        TallyCounts counts = counts(reader, words, 4);
        long first = words[7];
        long last = words[8];
        check(
                first <= last
                        && Math.floorDiv(last, panes.written()) == words[0]
                        && Math.floorDiv(first, panes.written()) == words[0],
                reader,
                "times from " + first + " to " + last + " in pane " + words[0]);
        check(words[9] >> 1 == 0 && words[10] >> 1 == 0, reader, "an impossible flag");
        DistinctTargets targets = targets(reader, words[11], words[12]);
        check(
                (targets != null) == (watch.settings().kind() == AttackKind.SCAN),
                reader,
                "a tally of another kind of attack");
        TallyCounts reported =
                words[10] == 0 ? null : counts(reader, reader.words(REPORTED_WORDS), 0);
        Tally tally = new Tally(party, party.hash(), counts, first, last, targets);
        check(reported == null || counts.isAtLeast(reported), reader, "more counted than there is");
        tally.restore(reported, words[9] == 1 && panes.written() == panes.now());
        long number = Math.floorDiv(last, panes.now());
        Tally there = watch.find(number, party);
        if (there != null) {
            check(panes.written() != panes.now(), reader, "a tally that is there twice");
            there.addRestored(tally);
        } else if (number >= watch.closed()) {
            // Only the last closed pane is needed.
            watch.restore(number, tally);
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
        check(isPossible, reader, length + " words of targets in form " + form);
        return form == NO_TARGETS
                ? null
                : DistinctTargets.of(form == SKETCH, reader.words((int) length));
    }
}
