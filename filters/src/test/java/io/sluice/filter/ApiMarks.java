/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** How the public types of a Flink module are marked with Flink's annotations. */
public final class ApiMarks {
    private static final String FLINK = "org.apache.flink.annotation.";
    private static final String INTERNAL = FLINK + "Internal";
    private static final List<String> FOR_USERS =
            List.of(FLINK + "PublicEvolving", FLINK + "Experimental");

    private final JavaClasses classes;

    private ApiMarks(JavaClasses classes) {
        this.classes = classes;
    }

    /** The marks of all classes of the package and those below, without tests. */
    public static ApiMarks of(String packageName) {
        return new ApiMarks(
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .withImportOption(location -> !location.contains("-tests.jar"))
                        .importPackages(packageName));
    }

    /** Public types at the top level that have no mark, or more than one. */
    public Set<String> withoutOneMark() {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : classes) {
            if (isVisible(type) && type.getEnclosingClass().isEmpty()) {
                long marks =
                        Stream.concat(Stream.of(INTERNAL), FOR_USERS.stream())
                                .filter(type::isAnnotatedWith)
                                .count();
                if (marks != 1) {
                    names.add(type.getName());
                }
            }
        }
        return names;
    }

    /** Public types for users. */
    public Set<String> forUsers() {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : classes) {
            if (isForUsers(type)) {
                names.add(type.getName());
            }
        }
        return names;
    }

    /** Types that are not for users but appear in a signature of a type that is. */
    public Set<String> leaks() {
        Set<String> leaks = new TreeSet<>();
        for (JavaClass type : classes) {
            if (!isForUsers(type)) {
                continue;
            }
            Stream.concat(type.getCodeUnits().stream(), type.getFields().stream())
                    .filter(member -> isVisible(member) && !isInternal(member))
                    .forEach(
                            member ->
                                    member.getAllInvolvedRawTypes().stream()
                                            .map(JavaClass::getBaseComponentType)
                                            .filter(other -> classes.contain(other.getName()))
                                            .filter(other -> !isForUsers(other))
                                            .forEach(
                                                    other ->
                                                            leaks.add(
                                                                    member.getFullName()
                                                                            + ": "
                                                                            + other.getName())));
        }
        return leaks;
    }

    private static boolean isForUsers(JavaClass type) {
        if (!isVisible(type) || isInternal(type)) {
            return false;
        }
        return FOR_USERS.stream().anyMatch(type::isAnnotatedWith)
                || type.getEnclosingClass().map(ApiMarks::isForUsers).orElse(false);
    }

    private static boolean isInternal(CanBeAnnotated annotated) {
        return annotated.isAnnotatedWith(INTERNAL);
    }

    private static boolean isVisible(HasModifiers item) {
        Set<JavaModifier> modifiers = item.getModifiers();
        return (modifiers.contains(JavaModifier.PUBLIC)
                        || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }
}
