/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The dependencies of this module and between its packages. */
@AnalyzeClasses(packages = "io.sluice.state", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule THE_STATE_BACKEND_NEEDS_ONLY_FILTERS_AND_FLINK =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.state..",
                            "io.sluice.filter..",
                            "java..",
                            "javax.annotation..",
                            "org.slf4j..",
                            "org.apache.flink..")
                    .because("it is put into a cluster's class path on its own");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();
}
