/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between the packages of the command. */
@AnalyzeClasses(
        packages = "io.sluice",
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    @ArchTest
    static final ArchRule REPLAY_KNOWS_NO_JOB =
            noClasses()
                    .that()
                    .resideInAPackage("io.sluice.replay..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.job..",
                            "io.sluice.flink.testkit..",
                            "io.sluice.demo..",
                            "io.sluice.report..",
                            "io.sluice.cli..");

    @ArchTest
    static final ArchRule PLANS_AND_REPORTS_NEED_NEITHER_KAFKA_NOR_A_COMMAND_LINE =
            classes()
                    .that()
                    .resideInAnyPackage("io.sluice.plan..", "io.sluice.inspect..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.plan..",
                            "io.sluice.inspect..",
                            "io.sluice.flink..",
                            "io.sluice.state..",
                            "io.sluice.filter..",
                            "java..",
                            "javax.annotation..",
                            "org.apache.flink..");

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();
}
