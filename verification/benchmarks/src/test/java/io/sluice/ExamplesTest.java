/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The projects in {@code examples} stand alone, so that they can be copied: their versions are here
 * compared with those of the parent. {@code examples/run-all.sh} compiles and tests them.
 */
class ExamplesTest {

    private static final Path EXAMPLES = Pom.ROOT.resolve("examples");

    /** The version of a release: Sluice's, and the minor version of Flink. */
    private static final Pattern RELEASE = Pattern.compile("\\b\\d+\\.\\d+\\.\\d+-\\d+\\.\\d+\\b");

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
            for (String property :
                    List.of("flink.version", "junit.version", "assertj.version", "slf4j.version")) {
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

    /**
     * The next release is the snapshot of the parent, for the minor version of Flink that it names.
     */
    @Test
    void documentsNameTheNextRelease() throws IOException {
        String sluice = parent.one("/project/version").replace("-SNAPSHOT", "");
        String flink = parent.one("/project/properties/flink.version");
        String release = sluice + '-' + flink.substring(0, flink.lastIndexOf('.'));
        for (String document :
                List.of("docs/releasing.md", "docs/stability.md", ".ci/release-check")) {
            assertThat(RELEASE.matcher(Files.readString(Pom.ROOT.resolve(document))).results())
                    .as(document)
                    .isNotEmpty()
                    .extracting(MatchResult::group)
                    .containsOnly(release);
        }
        assertThat(Files.readString(Pom.ROOT.resolve("CHANGELOG.md"))).contains("## " + release);
        for (String image :
                List.of(
                        "docker/README.md",
                        "docker/kubernetes/Dockerfile",
                        "docker/kubernetes/deduplication.yaml")) {
            assertThat(Files.readString(Pom.ROOT.resolve(image)))
                    .as(image)
                    .contains("sluice-jobs:" + sluice);
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
