/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ApiMarks;
import io.sluice.filter.ModuleRules;

/** The dependencies of this module and between its packages. */
@AnalyzeClasses(packages = "io.sluice.state", importOptions = ImportOption.DoNotIncludeTests.class)
class PackagesTest {

    @ArchTest
    static final ArchRule THE_STATE_BACKEND_NEEDS_ONLY_FILTERS_AND_FLINK =
            ModuleRules.needOnly(
                            "io.sluice.state..",
                            "io.sluice.filter..",
                            "org.slf4j..",
                            "org.apache.flink..")
                    .because("it is put into a cluster's class path on its own");

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);

    @ArchTest static final ArchTests MARKS = ArchTests.in(ApiMarks.class);

    @ArchTest
    static final ArchRule THESE_ARE_FOR_USERS =
            ApiMarks.areForUsers(CascadeStateBackend.class, CascadeBackendOptions.class);
}
