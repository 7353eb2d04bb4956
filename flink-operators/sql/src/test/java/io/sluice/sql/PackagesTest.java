/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ApiMarks;
import io.sluice.filter.ModuleRules;

/** The dependencies of this module. */
@AnalyzeClasses(packages = "io.sluice.sql", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule
            THE_FUNCTIONS_NEED_ONLY_FLINK_WHAT_WATCHES_OVER_EVENT_TIME_AND_THE_TEXT_OF_MACHINES =
                    ModuleRules.needOnly(
                                    "io.sluice.sql..",
                                    "io.sluice.flink.runtime..",
                                    "io.sluice.flink.machine",
                                    "org.apache.flink..",
                                    "org.slf4j..")
                            .because("they are exact on any state backend, and know none");

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);

    @ArchTest static final ArchTests MARKS = ArchTests.in(ApiMarks.class);

    @ArchTest
    static final ArchRule ONLY_THE_MODULE_IS_FOR_USERS =
            classes().that(ApiMarks.areForUsers()).should().be(SluiceModule.class);
}
