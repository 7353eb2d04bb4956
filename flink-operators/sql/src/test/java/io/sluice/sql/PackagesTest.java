/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The dependencies of this module. */
@AnalyzeClasses(packages = "io.sluice.sql", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule THE_FUNCTIONS_NEED_ONLY_FLINK =
            classes()
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(
                            "io.sluice.sql..", "java..", "javax.annotation..", "org.apache.flink..")
                    .because("they are exact on any state backend, and know none");
}
