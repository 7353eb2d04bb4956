/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The kind of an envelope tells its format, so two formats must not have the same. */
class KindsTest {

    @Test
    void eachFormatHasAKindOfItsOwn() throws ReflectiveOperationException {
        Map<Integer, String> formats = new HashMap<>();
        for (JavaClass format :
                new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("io.sluice.filter")) {
            if (format.tryGetField("KIND").isEmpty()) {
                continue;
            }
            Field kind = format.reflect().getDeclaredField("KIND");
            kind.setAccessible(true);
            String other = formats.put(kind.getInt(null), format.getName());
            assertThat(other).as("another format of the kind of %s", format.getName()).isNull();
        }
        assertThat(formats).hasSizeGreaterThanOrEqualTo(8);
    }
}
