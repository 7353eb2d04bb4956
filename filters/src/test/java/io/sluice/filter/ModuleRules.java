/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.stream.Stream;

/** Rules for the packages of a module: a module's {@code PackagesTest} has them all. */
public final class ModuleRules {

    @ArchTest
    public static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("io.sluice.(**)").should().beFreeOfCycles();

    private ModuleRules() {}

    /** Returns the rule that classes use nothing but these packages and those of the JDK. */
    public static ArchRule needOnly(String... packages) {
        return classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        Stream.concat(
                                        Stream.of("java..", "javax.annotation.."),
                                        Stream.of(packages))
                                .toArray(String[]::new));
    }
}
