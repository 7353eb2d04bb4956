/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between the packages of the tools. */
@AnalyzeClasses(
        packages = {"io.sluice.inspect", "io.sluice.plan"},
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    @ArchTest
    static final ArchRule TOOLS_KNOW_NEITHER_KAFKA_NOR_A_COMMAND =
            noClasses()
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage("org.apache.kafka..", "picocli..", "io.sluice.job..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(*)..").should().beFreeOfCycles();
}
