/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

/**
 * What a job does about records that a checkpoint calls written, and whose transaction was aborted
 * by the broker.
 */
public enum OnLostCommit {
    /** It reads them from the input and writes them once more; if it cannot, it fails. */
    REREAD,
    /** It fails, and does not restart. */
    FAIL,
    /** It goes on without them. */
    IGNORE
}
