/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

/** A filter has denied a key that was marked: the one thing that it must never do. */
public final class DeniedMarkError extends AssertionError {

    DeniedMarkError(String state) {
        super("The filter of state '" + state + "' denies a key that was marked.");
    }
}
