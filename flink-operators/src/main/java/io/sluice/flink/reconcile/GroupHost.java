/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/** What the exchanges of one key group need of the world. */
interface GroupHost {

    /** For one window. Used up before the next call. */
    Host at(long window);

    /** Nothing needs to be kept of this window any more. */
    void forget(long window) throws Exception;
}
