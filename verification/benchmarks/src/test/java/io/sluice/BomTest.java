/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of versions names what is published, and nothing else. */
class BomTest {

    private static final String MANAGED = "/project/dependencyManagement/dependencies/dependency";
    private static final String SKIPPED = "/project/properties/maven.deploy.skip";

    private final Pom bom = Pom.of(Pom.ROOT.resolve("flink-operators/bom"));

    @Test
    void listsExactlyTheModulesThatAreDeployed() throws IOException {
        List<String> published =
                Pom.ofModules().stream()
                        .filter(pom -> pom.all("/project/packaging").isEmpty())
                        .filter(pom -> !pom.all(SKIPPED).contains("true"))
                        .map(pom -> pom.one("/project/artifactId"))
                        .toList();

        assertThat(published).hasSizeGreaterThan(5).contains("sluice-flink-2.3");
        assertThat(bom.all(MANAGED + "/artifactId")).containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void givesThemAllItsOwnVersion() {
        assertThat(bom.all(MANAGED + "/version"))
                .hasSameSizeAs(bom.all(MANAGED))
                .containsOnly(Pom.of(Pom.ROOT).one("/project/version"));
        assertThat(bom.all(MANAGED + "/groupId")).containsOnly("io.sluice");
    }
}
