/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between the documents lead to files and headings that exist. */
class DocumentLinksTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void everyLinkHasATarget() throws IOException {
        List<String> broken = new ArrayList<>();
        List<Path> documents = documents();
        for (Path document : documents) {
            for (String link : matches(LINK, Files.readString(document)).toList()) {
                if (!link.contains("://") && !leadsSomewhere(document, link)) {
                    broken.add(ROOT.relativize(document) + ": " + link);
                }
            }
        }
        assertThat(documents).hasSizeGreaterThan(10);
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(Path document, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1 || anchors(Files.readString(target)).contains(parts[1]);
    }

    /** The names that headings get on the pages of a repository. */
    private static Set<String> anchors(String text) {
        return matches(HEADING, text)
                .map(heading -> heading.strip().toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult result) -> result.group(1));
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String folder : List.of(".", "docs", "docs/benchmarks", "docker")) {
            documents.addAll(documentsIn(ROOT.resolve(folder).normalize(), 1));
        }
        documents.addAll(documentsIn(ROOT.resolve("examples"), 2));
        return documents;
    }

    private static List<Path> documentsIn(Path folder, int depth) throws IOException {
        try (Stream<Path> files = Files.walk(folder, depth)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".md")).toList();
        }
    }
}
