/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import java.io.IOException;

/** Another user, in this process or another, holds the directory. */
public final class DirectoryLockedException extends IOException {

    private static final long serialVersionUID = 1;

    /**
     * @param directory the directory, as its {@code toString} names it
     */
    public DirectoryLockedException(String directory) {
        super(
                directory
                        + " is in use, in this process or another: close the other user, or choose"
                        + " another directory");
    }
}
