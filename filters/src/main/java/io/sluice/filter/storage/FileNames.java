/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

/** What a file in a {@link Directory} may be called. */
final class FileNames {

    private FileNames() {}

    static void check(String name) {
        if (name.isEmpty() || name.charAt(0) == '.' || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "name must not be empty, begin with a dot or hold a slash, got '" + name + "'");
        }
    }
}
