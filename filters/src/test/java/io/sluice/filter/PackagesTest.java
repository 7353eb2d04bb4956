/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The arrows between the packages of this module. */
class PackagesTest {

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.sluice.filter");

    private static final String[] FILTERS = {
        "io.sluice.filter",
        "..filter.forgetful..",
        "..filter.quotient..",
        "..filter.cuckoo..",
        "..filter.keyvalue.."
    };

    @Test
    void filtersDoNotKnowEachOther() {
        for (String filter : FILTERS) {
            String[] others =
                    Arrays.stream(FILTERS)
                            .filter(other -> !other.equals(filter))
                            .filter(other -> !other.equals("io.sluice.filter"))
                            .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(filter)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(others)
                    .allowEmptyShould(true)
                    .check(CLASSES);
        }
    }

    @Test
    void memoryHashingAndFormatKnowNoFilter() {
        noClasses()
                .that()
                .resideInAnyPackage("..filter.hash..", "..filter.format..", "..filter.memory..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(FILTERS)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("..filter.hash..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..filter.format..")
                .check(CLASSES);
    }

    @Test
    void theContractKnowsNoImplementation() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.filter")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("..filter.forgetful..", "..filter.format..", "..filter.hash..")
                .check(CLASSES);
    }

    @Test
    void onlyHashingKnowsTheHashingLibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackage("..filter.hash..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.dynatrace..")
                .check(CLASSES);
    }
}
