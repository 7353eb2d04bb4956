/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows out of this module and between its packages. */
@AnalyzeClasses(
        packages = "io.sluice.flink.flow",
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    @ArchTest
    static final ArchRule FLOWS_NEED_ONLY_OPERATORS_FILTERS_AND_FLINK =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.flink..",
                            "io.sluice.filter..",
                            "java..",
                            "javax.annotation..",
                            "org.slf4j..",
                            "com.dynatrace.hash4j..",
                            "org.apache.flink..")
                    .because("flows run on any stream and any state backend");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();
}
