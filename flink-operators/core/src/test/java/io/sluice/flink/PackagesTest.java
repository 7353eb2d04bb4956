/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ApiMarks;
import io.sluice.filter.ModuleRules;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;

/** The dependencies of this module and between its packages. */
@AnalyzeClasses(packages = "io.sluice.flink", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule OPERATORS_NEED_ONLY_FILTERS_THE_STATE_BACKEND_AND_FLINK =
            classes()
                    .that()
                    .resideOutsideOfPackage("io.sluice.flink.testkit..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.flink..",
                            "io.sluice.filter..",
                            "io.sluice.state",
                            "java..",
                            "javax.annotation..",
                            "org.slf4j..",
                            "com.dynatrace.hash4j..",
                            "org.apache.flink..")
                    .because("an operator works on any stream and any state backend");

    @ArchTest
    static final ArchRule WHAT_USERS_NAME_KNOWS_NOT_WHAT_IS_BELOW =
            noClasses()
                    .that()
                    .resideInAPackage("io.sluice.flink")
                    .should()
                    .dependOnClassesThat()
                    .resideInAPackage("io.sluice.flink.*..");

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);

    @ArchTest static final ArchTests MARKS = ArchTests.in(ApiMarks.class);

    @ArchTest
    static final ArchRule THESE_ARE_FOR_USERS =
            ApiMarks.areForUsers(Deduplicate.class, IdempotentCounters.class);
}
