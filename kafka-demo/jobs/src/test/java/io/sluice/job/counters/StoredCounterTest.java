/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.counters;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoredCounterTest {

    private static String name(String uid, Object key) {
        return new StoredCounter(StoredCounter.keyOfState(uid, key), 1, 0, null).name();
    }

    /** The characters are bytes; one that is no text must not be taken for another counter. */
    @Test
    void theJobKeepsTheBytesOfNames() {
        assertThat(name("counters", "\u00c3\u00a9")).isEqualTo("\u00e9");
        assertThat(name("counters", "\u00e9")).isEqualTo("0xe9");
    }

    @Test
    void aJobOfOnesOwnKeepsTheNames() {
        assertThat(name("views", "\u00c3\u00a9")).isEqualTo("\u00c3\u00a9");
        assertThat(name("views", "\u00e9")).isEqualTo("\u00e9");
        assertThat(name("views", 7L)).isEqualTo("7");
    }
}
