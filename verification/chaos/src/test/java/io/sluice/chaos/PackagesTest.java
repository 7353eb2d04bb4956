/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
        packages = "io.sluice",
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    /** A mistake that generator or checker share with a job would hide itself. */
    @ArchTest
    static final ArchRule GENERATOR_AND_CHECKER_SHARE_NO_CODE_WITH_THE_JOBS =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.sluice.chaos.check..", "io.sluice.chaos.truth..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.filter..",
                            "io.sluice.flink..",
                            "io.sluice.job..",
                            "io.sluice.record..",
                            "io.sluice.message..",
                            "io.sluice.replay..",
                            "io.sluice.capture..",
                            "org.apache.flink..");

    /** The processes of Flink have no more than this on their class path. */
    @ArchTest
    static final ArchRule WHAT_RUNS_INSIDE_FLINK_NEEDS_ONLY_FLINK =
            classes()
                    .that()
                    .resideInAPackage("io.sluice.chaos.disk..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage("io.sluice.chaos.disk..", "java..", "org.apache.flink..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.chaos.(*)..").should().beFreeOfCycles();
}
