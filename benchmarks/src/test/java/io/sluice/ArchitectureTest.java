/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The arrows between modules and between packages. This module sees all the others and is seen by
 * none, so the test stands here.
 */
@AnalyzeClasses(packages = "io.sluice", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule FILTERS_NEED_ONLY_THE_JDK_AND_A_HASHING_LIBRARY =
            classes()
                    .that()
                    .resideInAPackage("io.sluice.filter..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.filter..",
                            "java..",
                            "com.sun.nio.file..",
                            "com.dynatrace.hash4j..")
                    .because("filters are used without Flink too");

    @ArchTest
    static final ArchRule THE_GROUND_FLOOR_OF_FILTERS_KNOWS_NO_FILTER =
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "io.sluice.filter.hash..",
                            "io.sluice.filter.format..",
                            "io.sluice.filter.memory..",
                            "io.sluice.filter.storage..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.filter",
                            "io.sluice.filter.forgetful..",
                            "io.sluice.filter.quotient..",
                            "io.sluice.filter.cuckoo..",
                            "io.sluice.filter.keyvalue..",
                            "io.sluice.filter.cascade..");

    @ArchTest
    static final ArchRule OPERATORS_KNOW_NO_KAFKA_AND_NO_JOB =
            noClasses()
                    .that()
                    .resideInAPackage("io.sluice.flink..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            "org.apache.kafka..",
                            "org.apache.flink.connector.kafka..",
                            "io.sluice.capture..",
                            "io.sluice.replay..",
                            "io.sluice.job..",
                            "io.sluice.local..",
                            "io.sluice.demo..",
                            "io.sluice.report..",
                            "io.sluice.cli..")
                    .because("an operator works on any stream, not only on ours");

    @ArchTest
    static final ArchRule THE_STATE_BACKEND_NEEDS_ONLY_FILTERS_AND_FLINK =
            classes()
                    .that()
                    .resideInAPackage("io.sluice.state..")
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
    static final ArchRule OPERATORS_WORK_ON_ANY_STATE_BACKEND =
            noClasses()
                    .that()
                    .resideInAPackage("io.sluice.flink..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.sluice.state..");

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
