/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The projects in {@code examples} stand alone, so that they can be copied: their versions are here
 * compared with those of the parent. {@code examples/run-all.sh} compiles and tests them.
 */
class ExamplesTest {

    private static final Path EXAMPLES = Pom.ROOT.resolve("examples");

    private final Pom parent = Pom.of(Pom.ROOT);
    private final List<Pom> examples = Pom.in(EXAMPLES);

    ExamplesTest() throws IOException {}

    @Test
    void useTheVersionsOfTheParent() {
        assertThat(examples).hasSizeGreaterThanOrEqualTo(6);
        for (Pom example : examples) {
            assertThat(example.one("/project/properties/sluice.version"))
                    .as(example.path().toString())
                    .isEqualTo(parent.one("/project/version"));
            for (String property : List.of("flink.version", "junit.version", "assertj.version")) {
                assertThat(example.one("/project/properties/" + property))
                        .as("%s: %s", example.path(), property)
                        .isEqualTo(parent.one("/project/properties/" + property));
            }
            for (String plugin : example.all("//plugin/artifactId")) {
                String version = "//plugin[artifactId='" + plugin + "']/version";
                assertThat(example.one(version))
                        .as("%s: %s", example.path(), plugin)
                        .isEqualTo(parent.one(version));
            }
        }
    }

    @Test
    void documentsNameTheVersionOfTheParent() throws IOException {
        for (String document : List.of("README.md", "docs/testing.md")) {
            assertThat(Files.readString(Pom.ROOT.resolve(document)))
                    .as(document)
                    .contains(parent.one("/project/version"));
        }
    }

    @Test
    void openThePackagesThatTheBuildOpens() {
        assertThat(examples)
                .allSatisfy(
                        example ->
                                assertThat(example.one("//argLine"))
                                        .isEqualTo(
                                                parent.one(
                                                        "/project/properties/sluice.jvm.opens")));
    }

    @Test
    void haveNoParentAndAreListedOnTheirPage() throws IOException {
        String page = Files.readString(EXAMPLES.resolve("README.md"));
        for (Pom example : examples) {
            String name = example.path().getParent().getFileName().toString();
            assertThat(example.all("/project/parent")).as(name).isEmpty();
            assertThat(page).contains("](" + name + "/README.md)");
            assertThat(EXAMPLES.resolve(name).resolve("README.md")).exists();
        }
    }
}
