/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/** What the exchanges of one key group need from their environment. */
interface GroupHost {

    /** The host of one window. Must not be used after the next call. */
    Host at(long window);

    /** Nothing of this window needs to be kept any more. */
    void forget(long window) throws Exception;
}
