/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import org.apache.flink.annotation.PublicEvolving;

/** Which clock decides how old an id is. */
@PublicEvolving
public enum TimeDomain {

    /**
     * Ids carry the timestamp of their record; the watermark decides when they are forgotten. A
     * record without timestamp ({@code Long.MIN_VALUE} is what sources give for none) fails the job
     * with an explanation.
     */
    EVENT,

    /**
     * Ids carry the time of their arrival, on a clock that stands still while the job is down:
     * unless {@link WindowedBuilder#forgetDuringDowntime} is set, a restart after an hour does not
     * forget the hour before it stopped.
     */
    PROCESSING
}
