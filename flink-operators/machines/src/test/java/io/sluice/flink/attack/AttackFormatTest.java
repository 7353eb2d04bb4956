/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import static io.sluice.flink.attack.GoldenAttacks.PARTIES;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.Damage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What was once written can always be read, and nothing else can. */
class AttackFormatTest {

    private static byte[] golden(AttackKind kind) throws IOException {
        String name = "/golden/attacks/" + GoldenAttacks.name(kind);
        try (InputStream in = AttackFormatTest.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    private static AttackWatch read(byte[] bytes, AttackSettings settings) throws IOException {
        return AttackWatchFormat.read(
                new ByteArrayInputStream(bytes), "golden", settings, new Room(PARTIES));
    }

    /** What a watch reports about its content and about attempts that come later. */
    private static List<AttackAlert> future(AttackWatch watch) {
        List<AttackAlert> alerts = new ArrayList<>();
        Attempts.scan(Attempts.ME, 50, 5_000).forEach(each -> Attempts.add(watch, each));
        Attempts.flood(Attempts.ME, 80, 10, 5_000).forEach(each -> Attempts.add(watch, each));
        watch.advance(100_000, alerts::add);
        return alerts;
    }

    @ParameterizedTest
    @EnumSource
    void readsTheGoldenWatches(AttackKind kind) throws IOException {
        byte[] bytes = golden(kind);
        AttackWatch read = read(bytes, GoldenAttacks.settings(kind));
        assertThat(GoldenAttacks.bytes(read)).isEqualTo(bytes);
        AttackWatch expected = GoldenAttacks.watch(kind);
        assertThat(read.counts().words()).isEqualTo(expected.counts().words());
        assertThat(read.closed()).isEqualTo(3);
        assertThat(read.episodes()).hasSameSizeAs(expected.episodes()).isNotEmpty();
        assertThat(future(read)).containsExactlyElementsOf(future(expected)).hasSizeGreaterThan(2);
    }

    @ParameterizedTest
    @EnumSource
    void refusesEveryFlippedByteAndEveryPrefix(AttackKind kind) throws IOException {
        Damage.isAlwaysRefused(
                golden(kind),
                (in, source) ->
                        AttackWatchFormat.read(
                                in, source, GoldenAttacks.settings(kind), new Room(PARTIES)));
    }

    @ParameterizedTest
    @EnumSource
    void otherWindowsTakeOverAttacksAndTallies(AttackKind kind) throws IOException {
        for (int seconds : new int[] {1, 3, 4, 20}) {
            AttackSettings other =
                    new AttackSettings(
                            kind,
                            Duration.ofSeconds(seconds),
                            10,
                            0.25,
                            Duration.ofSeconds(20),
                            PARTIES,
                            false);
            AttackWatch before = GoldenAttacks.watch(kind);
            AttackWatch read = read(golden(kind), other);
            assertThat(read.episodes()).hasSameSizeAs(before.episodes());
            assertThat(read.counts().words()).isEqualTo(before.counts().words());
            List<AttackAlert> alerts = future(read);
            // Every attack is over by then, and none was raised again before.
            assertThat(alerts.stream().filter(alert -> !alert.raised()).count())
                    .isEqualTo(
                            before.episodes().size()
                                    + alerts.stream().filter(AttackAlert::raised).count());
            for (Party party : before.episodes().keySet()) {
                assertThat(alerts.stream().filter(alert -> isOf(alert, party)).findFirst())
                        .hasValueSatisfying(first -> assertThat(first.raised()).isFalse());
            }
            assertThat(read.tallies()).isZero();
        }
    }

    /** Nobody sends records of these times on purpose; but a state with them is read again. */
    @ParameterizedTest
    @EnumSource
    void attacksInTheFirstAndTheLastPaneOfAllAreReadAgain(AttackKind kind) throws IOException {
        AttackSettings settings = GoldenAttacks.settings(kind);
        AttackWatch watch = new AttackWatch(settings, new Room(PARTIES), new AttackCounts());
        for (long from : new long[] {Long.MIN_VALUE, Long.MAX_VALUE - 49}) {
            Attempts.scan(Attempts.ME, 50, from).forEach(each -> Attempts.add(watch, each));
            Attempts.flood(Attempts.ME, 80, 50, from).forEach(each -> Attempts.add(watch, each));
        }
        watch.advance(Long.MIN_VALUE + 1, alert -> {});
        watch.endInput(alert -> {});
        AttackWatch read = read(GoldenAttacks.bytes(watch), settings);
        assertThat(read.closed()).isEqualTo(AttackWatch.NONE);
        assertThat(read.episodes()).hasSameSizeAs(watch.episodes()).isNotEmpty();
        assertThat(GoldenAttacks.bytes(read)).isEqualTo(GoldenAttacks.bytes(watch));
        AttackSettings wider =
                new AttackSettings(
                        kind,
                        Duration.ofSeconds(20),
                        10,
                        0.25,
                        Duration.ofSeconds(20),
                        PARTIES,
                        false);
        AttackWatch widened = read(GoldenAttacks.bytes(watch), wider);
        assertThat(read(GoldenAttacks.bytes(widened), wider).episodes())
                .hasSameSizeAs(watch.episodes());
    }

    /** Nobody counts so far; but what is read can be used, and read again when it was written. */
    @Test
    void countsThatAreAsHighAsTheyGetAreReadAgain() throws IOException {
        long[] most = new long[AttackCounts.NUMBERS];
        Arrays.fill(most, TallyCounts.MOST);
        AttackCounts counts = AttackCounts.of(most);
        counts.forgotten++;
        counts.add(counts);
        counts.add(counts);
        AttackSettings settings = GoldenAttacks.settings(AttackKind.SCAN);
        AttackWatch read =
                read(
                        GoldenAttacks.bytes(new AttackWatch(settings, new Room(PARTIES), counts)),
                        settings);
        assertThat(read.counts().words()).isEqualTo(most);
    }

    private static boolean isOf(AttackAlert alert, Party party) {
        return alert.address().equals(party.address()) && alert.port() == party.port();
    }

    @Test
    void alertsKeepTheirBytes() throws IOException {
        AttackAlert alert =
                new AttackAlert(AttackKind.SCAN, true, Attempts.ME, -1, 1, 2, 3, 4, 5, 6);
        DataOutputSerializer out = new DataOutputSerializer(64);
        AttackAlertSerializer.INSTANCE.serialize(alert, out);
        assertThat(out.getCopyOfBuffer())
                .hasSize(AttackAlertSerializer.BYTES)
                .asHexString()
                .startsWith("010100000000000000000000FFFF0A000001FFFFFFFF0000000000000001")
                .endsWith("0000000000000006");
        assertThat(
                        AttackAlertSerializer.INSTANCE.deserialize(
                                new DataInputDeserializer(out.getCopyOfBuffer())))
                .isEqualTo(alert);
    }
}
