/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.filters;

/** What is timed. */
enum Operation {
    INSERT("insert", "all keys into an empty structure"),
    INSERT_LAST("insertLast", "the last tenth of the keys"),
    PRESENT("present", "lookups of keys that are there, when full"),
    ABSENT("absent", "lookups of keys that are not there, when full"),
    ADD_IF_ABSENT("addIfAbsent", "from half full to full, half of the keys are there already"),
    REMOVE("remove", "a tenth of the keys, when full");

    /** The name in figures and columns. */
    final String word;

    final String meaning;

    Operation(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }
}
