/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Rules on which public types are for users, and that these expose no others. The modules for Flink
 * mark each of their types with one of Flink's annotations. {@code filters}, which know nothing of
 * Flink, mark only what is internal, with an annotation of their own.
 */
public final class ApiMarks {
    private static final String FLINK = "org.apache.flink.annotation.";
    private static final String FILTERS = "io.sluice.filter.";

    /** By name: not every module with this test has both classes. */
    private static final List<String> INTERNAL =
            List.of(FLINK + "Internal", FILTERS + "annotation.Internal");

    private static final List<String> FOR_USERS =
            List.of(FLINK + "PublicEvolving", FLINK + "Experimental");

    private static final List<String> MARKED =
            List.of(FILTERS, "io.sluice.flink.", "io.sluice.sql.", "io.sluice.state.");

    @ArchTest
    public static final ArchRule EVERY_PUBLIC_TYPE_SAYS_WHETHER_IT_IS_FOR_USERS =
            classes()
                    .that(
                            describe(
                                    "are public and at the top level",
                                    type -> isVisible(type) && type.getEnclosingClass().isEmpty()))
                    .should(haveOneMark());

    @ArchTest
    public static final ArchRule WHAT_IS_FOR_USERS_SHOWS_NOTHING_THAT_IS_INTERNAL =
            classes().that(areForUsers()).should(showOnlyTypesForUsers());

    private ApiMarks() {}

    /** Selects the public types for users. */
    public static DescribedPredicate<JavaClass> areForUsers() {
        return describe("are for users", ApiMarks::isForUsers);
    }

    /** Returns the rule that these types, among others, are for users. */
    public static ArchRule areForUsers(Class<?>... types) {
        return classes()
                .that()
                .belongToAnyOf(types)
                .and()
                .areTopLevelClasses()
                .should(ArchCondition.from(areForUsers()));
    }

    private static ArchCondition<JavaClass> haveOneMark() {
        return new ArchCondition<>("have one mark") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                long marks =
                        Stream.concat(INTERNAL.stream(), FOR_USERS.stream())
                                .filter(type::isAnnotatedWith)
                                .count();
                events.add(
                        new SimpleConditionEvent(
                                type, marks == 1, type.getName() + " has " + marks + " marks"));
            }
        };
    }

    private static ArchCondition<JavaClass> showOnlyTypesForUsers() {
        return new ArchCondition<>("show only types for users") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                Stream.concat(type.getCodeUnits().stream(), type.getFields().stream())
                        .filter(member -> isVisible(member) && !isInternal(member))
                        .flatMap(ApiMarks::leaks)
                        .forEach(leak -> events.add(SimpleConditionEvent.violated(type, leak)));
            }
        };
    }

    private static Stream<String> leaks(JavaMember member) {
        return member.getAllInvolvedRawTypes().stream()
                .map(JavaClass::getBaseComponentType)
                .filter(ApiMarks::isMarkedModule)
                .filter(type -> !isForUsers(type))
                .map(type -> member.getFullName() + " shows " + type.getName());
    }

    private static boolean isMarkedModule(JavaClass type) {
        return MARKED.stream().anyMatch(type.getName()::startsWith);
    }

    private static boolean isForUsers(JavaClass type) {
        if (!isVisible(type) || isInternal(type)) {
            return false;
        }
        return FOR_USERS.stream().anyMatch(type::isAnnotatedWith)
                || type.getEnclosingClass()
                        .map(ApiMarks::isForUsers)
                        .orElse(type.getName().startsWith(FILTERS));
    }

    private static boolean isInternal(CanBeAnnotated annotated) {
        return INTERNAL.stream().anyMatch(annotated::isAnnotatedWith);
    }

    private static boolean isVisible(HasModifiers item) {
        Set<JavaModifier> modifiers = item.getModifiers();
        return (modifiers.contains(JavaModifier.PUBLIC)
                        || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }
}
