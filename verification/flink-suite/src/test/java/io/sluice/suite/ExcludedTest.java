/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExcludedTest {

    @Test
    void everyEntryNamesATestThatIsSelected() throws Exception {
        List<String> selected = Selection.named("whole");
        for (Excluded.Entry entry : Excluded.fromFile().entries()) {
            assertThat(selected).as(entry.toString()).contains(entry.className());
            if (!entry.method().isEmpty()) {
                assertThat(methods(load(entry.className())))
                        .as(entry.toString())
                        .contains(entry.method().replaceAll("\\[.*", ""));
            }
        }
    }

    @Test
    void aMethodIsLeftOutOfOursButNotOfTheStockRun() {
        Excluded excluded = Excluded.parse("a.Test#works  it asks for keys\n# a comment\n");
        assertThat(excluded.entryOf(SuiteRun.OVER_HASHMAP, "a.Test", "works"))
                .map(Excluded.Entry::reason)
                .contains("it asks for keys");
        assertThat(excluded.entryOf(SuiteRun.OVER_HASHMAP, "a.Test", "worksToo")).isEmpty();
        assertThat(excluded.entryOf(SuiteRun.STOCK, "a.Test", "works")).isEmpty();
    }

    @Test
    void aClassMayBeLeftOutOfOneRun() {
        Excluded excluded = Excluded.parse("a.Test @cascade-over-rocksdb it is about the heap");
        assertThat(excluded.entryOf(SuiteRun.OVER_ROCKSDB, "a.Test", "works")).isPresent();
        assertThat(excluded.entryOf(SuiteRun.OVER_HASHMAP, "a.Test", "works"))
                .isEqualTo(Optional.empty());
    }

    @Test
    void aSingleInvocationMayBeNamed() {
        Excluded excluded = Excluded.parse("a.Test#works[3] it looks at the stock handle's class");
        assertThat(excluded.entryOf(SuiteRun.OVER_ROCKSDB, "a.Test", "works[3]")).isPresent();
        assertThat(excluded.entryOf(SuiteRun.OVER_ROCKSDB, "a.Test", "works[4]")).isEmpty();
        assertThat(excluded.entryOf(SuiteRun.OVER_ROCKSDB, "a.Test", "works")).isEmpty();
    }

    @Test
    void aSingleInvocationFailsAnAssertionOrForTheCauseThatItsLineNames() {
        Excluded excluded =
                Excluded.parse(
                        "a.Test#works[3] asserts a class\n"
                                + "a.Test#works[4] @cascade-over-rocksdb !NullPointerException puts"
                                + " null\n");
        Throwable assertion = new AssertionError("expected");
        Throwable failed = new IllegalStateException(new NullPointerException());

        Excluded.Entry asserts = excluded.entries().get(0);
        assertThat(asserts.excuses(assertion)).isTrue();
        assertThat(asserts.excuses(failed)).isFalse();

        Excluded.Entry throwsNull = excluded.entries().get(1);
        assertThat(throwsNull.reason()).isEqualTo("puts null");
        assertThat(throwsNull.excuses(failed)).isTrue();
        assertThat(throwsNull.excuses(assertion)).isFalse();
        assertThat(throwsNull.excuses(new IllegalStateException())).isFalse();
    }

    @Test
    void anEntryWithoutAReasonIsRefused() {
        assertThatThrownBy(() -> Excluded.parse("a.Test#works"))
                .hasMessageContaining("no reason: a.Test#works");
        assertThatThrownBy(() -> Excluded.parse("a.Test @nowhere it fails"))
                .hasMessageContaining("nowhere");
    }

    @Test
    void everySelectedClassExistsAndTheOtherListsArePartsOfTheWhole() throws Exception {
        List<String> whole = Selection.named("whole");
        for (String name : whole) {
            assertThat(load(name).getName()).isEqualTo(name);
        }
        assertThat(whole)
                .doesNotHaveDuplicates()
                .containsAll(Selection.named("short"))
                .containsAll(Selection.named("as-asked"))
                .containsAll(Selection.named("unreached"));
    }

    private static Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ExcludedTest.class.getClassLoader());
    }

    private static List<String> methods(Class<?> testClass) {
        return Stream.<Class<?>>iterate(testClass, each -> each != null, Class::getSuperclass)
                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                .map(Method::getName)
                .toList();
    }
}
