/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValueDictionaryTest {

    @Test
    void numbersValuesInTheOrderTheyCome() {
        ValueDictionary<String> dictionary = new ValueDictionary<>(3);
        assertThat(dictionary.number("syn")).isZero();
        assertThat(dictionary.number("established")).isEqualTo(1);
        assertThat(dictionary.number("syn")).isZero();
        assertThat(dictionary.number("established")).isEqualTo(1);
        assertThat(dictionary.find("fin")).isEqualTo(-1);
        assertThat(dictionary.value(1)).isEqualTo("established");
        assertThat(dictionary.number("fin")).isEqualTo(2);
        assertThatThrownBy(() -> dictionary.number("reset"))
                .isInstanceOf(FilterFullException.class)
                .hasMessageContaining("3");
        assertThat(dictionary.values()).containsExactly("syn", "established", "fin");
        assertThatThrownBy(() -> dictionary.value(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number");
    }

    @Test
    void comesBackFromItsValues() {
        ValueDictionary<String> dictionary = ValueDictionary.of(5, List.of("a", "b"));
        assertThat(dictionary.find("b")).isEqualTo(1);
        assertThat(dictionary.number("c")).isEqualTo(2);
        assertThat(dictionary.size()).isEqualTo(3);
        assertThatThrownBy(() -> ValueDictionary.of(5, List.of("a", "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> ValueDictionary.of(1, List.of("a", "b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 1");
    }
}
