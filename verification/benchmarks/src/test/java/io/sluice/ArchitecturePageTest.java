/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/architecture.md} names classes, packages and modules that exist. */
class ArchitecturePageTest {
    private static final Path ROOT = Path.of("../..");
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]+[A-Za-z]*)[`.(]");
    private static final Pattern PACKAGE = Pattern.compile("`(io\\.sluice[a-z.]*)`");
    private static final Pattern MODULE = Pattern.compile("\\*\\*`([a-z/-]+)`\\*\\*");

    /** The classes of Flink that the page names. */
    private static final Set<String> OF_FLINK = Set.of("ValueState");

    private final String page;

    ArchitecturePageTest() throws IOException {
        page = Files.readString(ROOT.resolve("docs/architecture.md"));
    }

    @Test
    void everyClassExists() throws IOException {
        Set<String> known = new TreeSet<>(OF_FLINK);
        for (String module : named(MODULE)) {
            // The list of versions has none.
            if (!module.endsWith("/bom")) {
                known.addAll(classesIn(ROOT.resolve(module).resolve("src")));
            }
        }
        assertThat(named(CLASS)).hasSizeGreaterThan(50).isSubsetOf(known);
    }

    @Test
    void everyPackageExists() {
        Set<String> modules = named(MODULE);
        assertThat(named(PACKAGE))
                .isNotEmpty()
                .allMatch(
                        name ->
                                modules.stream()
                                        .map(
                                                module ->
                                                        ROOT.resolve(module)
                                                                .resolve("src/main/java"))
                                        .anyMatch(
                                                sources ->
                                                        Files.isDirectory(
                                                                sources.resolve(
                                                                        name.replace('.', '/')))));
    }

    @Test
    void everyModuleHasItsParagraph() throws IOException {
        assertThat(named(MODULE))
                .isEqualTo(
                        Pom.ofModules().stream()
                                .map(Pom::folder)
                                .collect(Collectors.toCollection(TreeSet::new)));
    }

    private Set<String> named(Pattern pattern) {
        return pattern.matcher(page)
                .results()
                .map((MatchResult result) -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> classesIn(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toSet());
        }
    }
}
