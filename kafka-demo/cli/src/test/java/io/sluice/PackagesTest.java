/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.conditions.ArchConditions.never;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ApiMarks;
import io.sluice.filter.ModuleRules;
import org.apache.flink.annotation.Internal;

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

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);

    /** The tools are for their commands; what they print is for users. */
    @ArchTest
    static final ArchRule NO_TOOL_IS_FOR_USERS =
            classes()
                    .that()
                    .resideInAnyPackage("io.sluice.plan..", "io.sluice.inspect..")
                    .and()
                    .arePublic()
                    .and()
                    .areTopLevelClasses()
                    .should()
                    .beAnnotatedWith(Internal.class)
                    .andShould(never(be(ApiMarks.areForUsers())));
}
