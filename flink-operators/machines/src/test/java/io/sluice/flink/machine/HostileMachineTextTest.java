/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts that cost too much, or that say something else than they seem to. */
class HostileMachineTextTest {

    private static final String LOGINS =
            """
            machine: logins
            initial: none
            timeToLive: 10 min
            states:
              failed:
              broken-in: {terminal: true, timeToLive: 1 h}
            events: [logout]
            transitions:
              - {from: none, event: failure, to: failed}
              - from: failed
                event: [failure, mistake]
              - {from: failed, event: success, to: broken-in, output: guessed}
            """;

    @TempDir private Path folder;

    private static String longLists(int from, int events) {
        return LOGINS
                + "  - {from: ["
                + "failed,".repeat(from)
                + "], event: ["
                + "failure,".repeat(events)
                + "]}\n";
    }

    private static String names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).collect(Collectors.joining(","));
    }

    private static void refused(String text, int line, String... inMessage) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MachineDefinition.parse(text, "m"))
                .withMessageStartingWith("m, line " + line + ": ")
                .withMessageContainingAll(inMessage)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_000));
    }

    @Test
    void theTextIsAMachine() {
        assertThat(MachineDefinition.parse(LOGINS, "m").states())
                .containsExactly("failed", "broken-in", "none");
    }

    @Test
    void listsThatMultiplyEachOtherAreRefusedBeforeTheyAreMultiplied() {
        refused(longLists(20_000, 20_000), 13, "more than 256000 transitions", "remove");
    }

    @Test
    void statesAndEventsAreLimited() {
        String states =
                IntStream.range(0, 300)
                        .mapToObj(i -> "  end" + i + ": {terminal: true}\n")
                        .collect(Collectors.joining());
        refused(
                LOGINS.replace("events:", states + "events:"),
                260,
                "more than 256 states",
                "join states");
        refused(
                LOGINS.replace("[logout]", "[" + names("e", 1_001) + "]"),
                7,
                "more than 1000 events",
                "join events");
    }

    @Test
    void aTextIsLimited() {
        String large = LOGINS + "# " + "x".repeat(MachineText.MAX_LENGTH);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MachineDefinition.parse(large, "m"))
                .withMessageContainingAll("m: ", "at most 1048576 characters");
    }

    @Test
    void aFileIsReadOnlyAsFarAsATextMayGo() throws IOException {
        Path file = folder.resolve("m.yaml");
        Files.writeString(file, LOGINS);
        assertThat(MachineDefinition.read(file)).isEqualTo(MachineDefinition.parse(LOGINS, "m"));

        Files.write(file, new byte[4 * MachineText.MAX_LENGTH + 1]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MachineDefinition.read(file))
                .withMessageContainingAll(file.toString(), "at most 1048576 characters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MachineDefinition.read(Path.of("/dev/zero")))
                .withMessageContaining("at most 1048576 characters");

        Files.write(file, new byte[] {'a', ':', ' ', (byte) 0xff});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MachineDefinition.read(file))
                .withMessageContainingAll(file.toString(), "not UTF-8");
        assertThatIOException()
                .isThrownBy(() -> MachineDefinition.read(folder.resolve("gone.yaml")))
                .withMessage(
                        folder.resolve("gone.yaml") + " cannot be read: there is no such file.");
        assertThatIOException()
                .isThrownBy(() -> MachineDefinition.read(folder))
                .withMessage(folder + " cannot be read: Is a directory");
    }

    @Test
    void deepNestingIsRefusedAtItsLine() {
        refused("machine:\n  [" + "\n [".repeat(100_000), 18, "nested too deeply");
        refused("{\"a\":\n".repeat(5_000), 18, "nested too deeply");
    }

    /** Read as plain text, an alias would be a state of its anchor's name. */
    @Test
    void aliasesAreRefused() {
        refused(
                LOGINS.replace("to: broken-in", "to: *broken-in")
                        .replace("initial: none", "initial: &broken-in none"),
                12,
                "alias '*broken-in'",
                "write the value");
        refused("a: &a [x, x]\nb: &b [*a, *a]\n", 2, "alias '*a'");
    }

    @Test
    void longValuesAreRefusedWithoutRepeatingThem() {
        String name = "x".repeat(500_000);
        refused(LOGINS.replace("event: success", "event: " + name), 12, "500000 characters");
        refused(LOGINS.replace("  failed:", "  " + name + ":"), 5, "500000 characters");
        refused(LOGINS.replace("10 min", "1".repeat(100_000) + " min"), 3, "100004 characters");
    }

    @Test
    void charactersThatYamlDoesNotAllowAreNamedWithTheirLine() {
        refused(LOGINS.replace("to: failed", "to: fai\u0000led"), 9, "U+0000", "remove it");
        refused(LOGINS.replace("to: failed", "to: fai\ud800led"), 9, "U+D800", "remove it");
        refused(LOGINS.replace("10 min", "10\u0007min"), 3, "U+0007", "remove it");
    }

    @Test
    void valuesOfAnotherTypeAreNamedWithTheirLine() {
        refused("[]", 1, "must be a map");
        refused("machine", 1, "must be a map");
        refused(LOGINS.replace("machine: logins", "machine: [a]"), 1, "a name is expected");
        refused(LOGINS.replace("10 min", "{a: 1}"), 3, "a name is expected");
        refused(LOGINS.replace("10 min", "!!binary AAAA"), 3, "a text, a list or a map");
        refused(LOGINS.replace("from: failed\n", "from: [[failed]]\n"), 10, "a name is expected");
        refused(LOGINS.replace("{terminal: true,", "{terminal: {},"), 6, "a name is expected");
        refused(LOGINS.replace("[logout]", "{logout: 1}"), 7, "a name is expected");
        refused(LOGINS.replace("  failed:\n", "  failed: 7\n"), 5, "must be a map");
        refused(LOGINS.substring(0, LOGINS.indexOf("  - ")) + "  a: b\n", 9, "no field 'a'");
        refused(LOGINS.substring(0, LOGINS.indexOf("  - ")) + "  - a\n", 9, "must be a map");
    }

    /** Lines come twice, go, change places or are cut; values become others. */
    @Test
    void mutatedTextsAreMachinesOrRefusedWithTheirLine() {
        SplittableRandom random = new SplittableRandom(11);
        String[] values = {
            "*x",
            "&x y",
            "[]",
            "{}",
            "~",
            "''",
            "!!int 1",
            "- -",
            "? :",
            "<<",
            "%",
            "---",
            "...",
            "9".repeat(300),
            "\u0000",
            "\ud800",
            "none",
            "1e999999999",
            "0x",
            "true",
            "P1D",
            "-1 d"
        };
        int machines = 0;
        int refused = 0;
        for (int round = 0; round < 5_000; round++) {
            List<String> lines = new ArrayList<>(Arrays.asList(LOGINS.split("\n", -1)));
            for (int i = random.nextInt(1, 4); i > 0 && lines.size() > 1; i--) {
                int at = random.nextInt(lines.size());
                String line = lines.get(at);
                switch (random.nextInt(5)) {
                    case 0 -> lines.add(random.nextInt(lines.size()), line);
                    case 1 -> lines.remove(at);
                    case 2 -> lines.set(at, lines.set(random.nextInt(lines.size()), line));
                    case 3 -> lines.set(at, line.substring(random.nextInt(line.length() + 1)));
                    default -> {
                        String[] words = line.split("(?<=[ ,\\[{])", -1);
                        words[random.nextInt(words.length)] = values[random.nextInt(values.length)];
                        lines.set(at, String.join("", words));
                    }
                }
            }
            try {
                MachineDefinition machine = MachineDefinition.parse(String.join("\n", lines), "m");
                assertThat(machine.states()).hasSizeBetween(2, 256);
                machines++;
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).matches("m, line \\d+: (?s).+").hasSizeLessThan(1_000);
                refused++;
            }
        }
        assertThat(machines).isGreaterThan(100);
        assertThat(refused).isGreaterThan(1_000);
    }
}
