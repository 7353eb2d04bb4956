/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Wrote the golden watches, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenAttacks {

    static final int PARTIES = 100;

    private GoldenAttacks() {}

    static AttackSettings settings(AttackKind kind) {
        return new AttackSettings(
                kind, Duration.ofSeconds(2), 10, 0.25, Duration.ofSeconds(5), PARTIES, false);
    }

    /** With attacks that are not over, and tallies of two panes, with lists and sketches. */
    static AttackWatch watch(AttackKind kind) {
        AttackWatch watch = new AttackWatch(settings(kind), new Room(PARTIES), new AttackCounts());
        Attempts.bursts(new SplittableRandom(7), 20, 5_000).stream()
                .filter(attempt -> attempt.millis() < 5_000)
                .forEach(each -> Attempts.add(watch, each));
        Attempts.scan(Attempts.ME, 50, 3_000).forEach(each -> Attempts.add(watch, each));
        watch.advance(3_999, alert -> {});
        return watch;
    }

    static byte[] bytes(AttackWatch watch) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        AttackWatchFormat.write(watch, bytes);
        return bytes.toByteArray();
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (AttackKind kind : AttackKind.values()) {
            Files.write(
                    folder.resolve(name(kind)), bytes(watch(kind)), StandardOpenOption.CREATE_NEW);
        }
    }

    static String name(AttackKind kind) {
        return switch (kind) {
            case SYN_FLOOD -> "v2-floods.bin";
            case SCAN -> "v2-scans.bin";
        };
    }
}
