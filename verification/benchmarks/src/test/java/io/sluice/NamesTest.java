/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One name for one thing: no two types of the whole project have the same simple name. */
class NamesTest {
    @Test
    void noSimpleNameIsThereTwice() throws IOException {
        Map<String, List<Path>> byName = new TreeMap<>();
        for (Pom module : Pom.ofModules()) {
            Path sources = module.path().resolveSibling("src/main/java");
            if (Files.isDirectory(sources)) {
                try (Stream<Path> files = Files.walk(sources)) {
                    byName.putAll(
                            merged(
                                    byName,
                                    files.filter(file -> file.toString().endsWith(".java"))
                                            .filter(file -> !file.endsWith("package-info.java"))
                                            .toList()));
                }
            }
        }

        assertThat(byName).hasSizeGreaterThan(500);
        assertThat(byName.values()).allSatisfy(files -> assertThat(files).hasSize(1));
    }

    private static Map<String, List<Path>> merged(
            Map<String, List<Path>> before, List<Path> files) {
        return Stream.concat(before.values().stream().flatMap(List::stream), files.stream())
                .collect(Collectors.groupingBy(file -> file.getFileName().toString()));
    }
}
