/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ApiMarks;
import io.sluice.filter.ModuleRules;

/** The dependencies of this module and between its packages. */
@AnalyzeClasses(
        packages = "io.sluice.flink.testkit",
        importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule THE_KIT_TESTS_OPERATORS_WITHOUT_KNOWING_ANY =
            ModuleRules.needOnly(
                            "io.sluice.flink.testkit..",
                            "org.slf4j..",
                            "org.apache.flink..",
                            "org.apache.kafka..",
                            "kafka..")
                    .because("what judges an operator must not share its mistakes");

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);

    @ArchTest static final ArchTests MARKS = ArchTests.in(ApiMarks.class);

    @ArchTest
    static final ArchRule THESE_ARE_FOR_USERS = ApiMarks.areForUsers(DeduplicationTruth.class);
}
