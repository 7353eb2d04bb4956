/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

/** What a send is to the receiver. */
public enum SendKind {
    /** The first send of its operation: it must count. */
    FIRST,

    /** A retry within the window: it must not count. */
    RETRY,

    /** A retry beyond the window: a forgetful filter may count it. */
    RETRY_BEYOND_WINDOW
}
