/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.filter.ModuleRules;

/** The arrows out of this module and between its packages. */
@AnalyzeClasses(
        packages = {"io.sluice.job", "io.sluice.message", "io.sluice.record", "io.sluice.kafka"},
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class PackagesTest {

    @ArchTest
    static final ArchRule JOBS_RUN_WITHOUT_BROKER_AND_COMMAND =
            ModuleRules.needOnly(
                            "io.sluice.job..",
                            "io.sluice.message..",
                            "io.sluice.record..",
                            "io.sluice.kafka..",
                            "io.sluice.capture..",
                            "io.sluice.flink..",
                            "io.sluice.filter..",
                            "io.sluice.state..",
                            "com.fasterxml.jackson.core..",
                            "com.fasterxml.jackson.databind..",
                            "org.apache.avro..",
                            "org.slf4j..",
                            "picocli..",
                            "org.apache.flink..",
                            "org.apache.kafka..")
                    .because("the job jar goes to a cluster that has no broker");

    @ArchTest static final ArchTests COMMON = ArchTests.in(ModuleRules.class);
}
