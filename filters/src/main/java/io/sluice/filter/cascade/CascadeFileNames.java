/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import java.util.Optional;

/**
 * Names of the files in a directory, and back.
 *
 * <pre>
 *   0123456789abcdef-00000000002a.level   level file 42 (hexadecimal) of a store
 *   manifest-000000000007                 version 7 (hexadecimal) of the list of files
 *   manifest-000000000007.tmp             the same, not complete yet
 * </pre>
 *
 * <p>A store is a random number, drawn whenever a filter is opened: so no filter ever uses a level
 * file's name again, even after a crash, and files of several filters may lie side by side.
 */
final class CascadeFileNames {

    static final String TEMPORARY = ".tmp";

    private static final String LEVEL = ".level";

    private static final String MANIFEST = "manifest-";

    private static final int STORE_DIGITS = 16;

    private static final int NUMBER_DIGITS = 12;

    private static final int RADIX = 16;

    private static final int BITS_PER_DIGIT = 4;

    private CascadeFileNames() {}

    static String level(long store, long number) {
        return hex(store, STORE_DIGITS) + "-" + hex(number, NUMBER_DIGITS) + LEVEL;
    }

    static String manifest(long number) {
        return MANIFEST + hex(number, NUMBER_DIGITS);
    }

    static boolean isLevel(String name) {
        return name.length() == STORE_DIGITS + 1 + NUMBER_DIGITS + LEVEL.length()
                && name.charAt(STORE_DIGITS) == '-'
                && name.endsWith(LEVEL)
                && isHex(name.substring(0, STORE_DIGITS))
                && isHex(name.substring(STORE_DIGITS + 1, STORE_DIGITS + 1 + NUMBER_DIGITS));
    }

    /** The store of a level file. */
    static long store(String level) {
        return Long.parseUnsignedLong(level.substring(0, STORE_DIGITS), RADIX);
    }

    /** The number of a level file in its store. */
    static long number(String level) {
        int from = STORE_DIGITS + 1;
        return Long.parseLong(level.substring(from, from + NUMBER_DIGITS), RADIX);
    }

    /** Whether a level file can have this number. */
    static boolean isNumber(long number) {
        return number >>> (NUMBER_DIGITS * BITS_PER_DIGIT) == 0;
    }

    /** The number of a complete manifest, if this is the name of one. */
    static Optional<Long> manifestNumber(String name) {
        String digits = name.startsWith(MANIFEST) ? name.substring(MANIFEST.length()) : "";
        return digits.length() == NUMBER_DIGITS && isHex(digits)
                ? Optional.of(Long.parseLong(digits, RADIX))
                : Optional.empty();
    }

    static boolean isTemporaryManifest(String name) {
        return name.endsWith(TEMPORARY)
                && manifestNumber(name.substring(0, name.length() - TEMPORARY.length()))
                        .isPresent();
    }

    private static String hex(long value, int digits) {
        return String.format("%0" + digits + "x", value);
    }

    private static boolean isHex(String digits) {
        return digits.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
    }
}
