/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.conditions.ArchConditions.never;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cuckoo.CountingCuckooFilter;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.quotient.QuotientFilter;
import io.sluice.filter.seen.Funnel;
import io.sluice.filter.seen.SeenWithin;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Which packages of this module may depend on which. */
class PackagesTest {

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.sluice.filter");

    private static final String[] FILTERS = {
        "io.sluice.filter",
        "..filter.plane..",
        "..filter.forgetful..",
        "..filter.quotient..",
        "..filter.cuckoo..",
        "..filter.rateless..",
        "..filter.keyvalue..",
        "..filter.cascade.."
    };

    @Test
    void theModuleNeedsOnlyTheJdkAndAHashingLibrary() {
        ModuleRules.needOnly("io.sluice.filter..", "com.sun.nio.file..", "com.dynatrace.hash4j..")
                .because("filters are used without Flink too")
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        ModuleRules.PACKAGES_HAVE_NO_CYCLES.check(CLASSES);
    }

    @Test
    void whatIsForUsersShowsNothingThatIsInternal() {
        ApiMarks.WHAT_IS_FOR_USERS_SHOWS_NOTHING_THAT_IS_INTERNAL.check(CLASSES);
    }

    @Test
    void theDocumentedStructuresAreForUsers() {
        ApiMarks.areForUsers(
                        SeenWithin.class,
                        Funnel.class,
                        ForgetfulFilter.class,
                        CascadeFilter.class,
                        QuotientFilter.class,
                        CountingCuckooFilter.class,
                        KeyValueBloomFilter.class)
                .check(CLASSES);
    }

    @Test
    void whatOnlyOtherModulesUseIsInternal() {
        classes()
                .that()
                .resideInAnyPackage(
                        "..filter.annotation..", "..filter.cascade.file..", "..filter.sample..")
                .should(never(be(ApiMarks.areForUsers())))
                .check(CLASSES);
    }

    @Test
    void filtersDoNotKnowEachOther() {
        for (String filter : FILTERS) {
            String[] others =
                    Arrays.stream(FILTERS)
                            .filter(other -> !other.equals(filter))
                            .filter(other -> !other.equals("io.sluice.filter"))
                            .filter(other -> !isPartOf(filter, other))
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

    /**
     * A cascade keeps what is in memory in a quotient filter. The forgetful filter is made of
     * planes, which do not know it. Coded symbols are made of the root sets of synchronisation.
     */
    private static boolean isPartOf(String filter, String other) {
        return switch (filter) {
            case "..filter.cascade.." -> other.equals("..filter.quotient..");
            case "..filter.rateless.." -> other.equals("..filter.cuckoo..");
            case "..filter.forgetful.." -> other.equals("..filter.plane..");
            default -> false;
        };
    }

    @Test
    void onlyTheCascadeKnowsDirectoriesAndFiles() {
        noClasses()
                .that()
                .resideOutsideOfPackages("..filter.cascade..", "..filter.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("..filter.storage..", "..filter.cascade..")
                .check(CLASSES);
    }

    @Test
    void aLevelFileKnowsNothingOfTheCascadeAroundIt() {
        noClasses()
                .that()
                .resideInAPackage("..filter.cascade.file..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.sluice.filter.cascade", "io.sluice.filter", "..filter.quotient..")
                .check(CLASSES);
    }

    @Test
    void memoryHashingFormatMergesAndStorageKnowNoFilter() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "..filter.hash..",
                        "..filter.format..",
                        "..filter.memory..",
                        "..filter.merge..",
                        "..filter.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(FILTERS)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage("..filter.hash..", "..filter.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..filter.format..")
                .check(CLASSES);
    }

    @Test
    void storageKnowsNoFilterOnIt() {
        noClasses()
                .that()
                .resideInAPackage("..filter.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("..filter.cascade..", "..filter.quotient..")
                .check(CLASSES);
    }

    @Test
    void theContractKnowsNoImplementation() {
        noClasses()
                .that()
                .resideInAPackage("io.sluice.filter")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "..filter.plane..",
                        "..filter.forgetful..",
                        "..filter.format..",
                        "..filter.hash..")
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
