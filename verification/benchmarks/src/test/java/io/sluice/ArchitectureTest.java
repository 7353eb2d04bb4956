/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The dependencies between modules that only this module sees, since it sees all the others. Each
 * module tests its own outgoing dependencies in its {@code PackagesTest}.
 */
@AnalyzeClasses(packages = "io.sluice", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule NOTHING_DEPENDS_ON_THE_BENCHMARKS =
            noClasses()
                    .that()
                    .resideOutsideOfPackage("io.sluice.bench..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.sluice.bench..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();
}
