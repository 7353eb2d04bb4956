/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each row of {@code docs/contract.md} is one sentence, and the tests that it names exist. */
class ContractPageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+)(?:\\.(\\w+))?`");
    private static final int MOST_CHARACTERS = 220;

    @Test
    void eachRowIsOneSentence() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(200);
        for (List<String> row : rows()) {
            assertThat(row).hasSize(3);
            assertThat(row.get(1))
                    .endsWith(".")
                    .doesNotContainPattern("\\w\\. [A-Z]")
                    .hasSizeLessThanOrEqualTo(MOST_CHARACTERS);
        }
    }

    @Test
    void eachRowNamesTestsThatExist() throws IOException {
        Map<String, String> sources = testSources();
        List<String> missing = new ArrayList<>();
        for (List<String> row : rows()) {
            List<MatchResult> tests = TEST.matcher(row.get(2)).results().toList();
            assertThat(tests).as(row.get(0)).isNotEmpty();
            for (MatchResult test : tests) {
                String source = sources.get(test.group(1));
                boolean named = test.group(2) != null;
                if (source == null || (named && !source.contains(test.group(2) + "("))) {
                    missing.add(test.group());
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static List<List<String>> rows() throws IOException {
        try (Stream<String> lines = Files.lines(ROOT.resolve("docs/contract.md"))) {
            return lines.filter(line -> line.startsWith("| ") && !line.startsWith("| When"))
                    .map(line -> line.substring(1, line.length() - 1).split("\\|"))
                    .map(cells -> Stream.of(cells).map(String::strip).toList())
                    .toList();
        }
    }

    /** Returns the source of each test class, those with one name in several packages joined. */
    private static Map<String, String> testSources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().contains("/src/test/java/"))
                    .filter(file -> file.toString().matches(".*(Test|IT)\\.java"))
                    .collect(
                            Collectors.toMap(
                                    file -> file.getFileName().toString().replace(".java", ""),
                                    ContractPageTest::read,
                                    String::concat));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
