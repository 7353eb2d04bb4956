/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ApiMarks;
import io.sluice.filter.ModuleRules;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.Machines;

/** The arrows out of this module and between its packages. */
@AnalyzeClasses(
        packages = {"io.sluice.flink.flow", "io.sluice.flink.machine"},
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    @ArchTest
    static final ArchRule MACHINES_NEED_ONLY_OPERATORS_FILTERS_AND_FLINK =
            ModuleRules.needOnly(
                            "io.sluice.flink..",
                            "io.sluice.filter..",
                            "org.slf4j..",
                            "com.dynatrace.hash4j..",
                            "org.apache.flink..")
                    .because("machines run on any stream and any state backend");

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);

    @ArchTest static final ArchTests MARKS = ArchTests.in(ApiMarks.class);

    @ArchTest
    static final ArchRule THESE_ARE_FOR_USERS =
            ApiMarks.areForUsers(FlowStateMachine.class, Machines.class, MachineDefinition.class);
}
