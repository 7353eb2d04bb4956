/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows out of this module and between its packages. */
@AnalyzeClasses(packages = "io.sluice", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule JOBS_RUN_WITHOUT_THE_COMMAND_LINE =
            noClasses()
                    .that()
                    .resideInAPackage("io.sluice.job..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.local..",
                            "io.sluice.demo..",
                            "io.sluice.report..",
                            "io.sluice.cli..",
                            "kafka..",
                            "scala..")
                    .because("the job jar goes to a cluster that has no broker");

    @ArchTest
    static final ArchRule CAPTURE_AND_REPLAY_KNOW_NO_JOB =
            noClasses()
                    .that()
                    .resideInAnyPackage("io.sluice.capture..", "io.sluice.replay..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.job..",
                            "io.sluice.local..",
                            "io.sluice.demo..",
                            "io.sluice.report..",
                            "io.sluice.cli..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();
}
