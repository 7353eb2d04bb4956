/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows out of this module and between its packages. */
@AnalyzeClasses(
        packages = "io.sluice.capture",
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    @ArchTest
    static final ArchRule CAPTURES_KNOW_NEITHER_FLINK_NOR_KAFKA =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage("io.sluice.capture..", "java..", "com.fasterxml.jackson..")
                    .because("a capture is a file, whatever reads it");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();
}
