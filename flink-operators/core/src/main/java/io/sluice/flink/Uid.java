/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/** The uid that every builder here asks for. */
@Internal
public final class Uid {

    private Uid() {}

    /**
     * Returns {@code uid}.
     *
     * @throws IllegalArgumentException if it is not set, or blank
     */
    public static String require(@Nullable String uid) {
        if (uid == null || uid.isBlank()) {
            throw new IllegalArgumentException(
                    "uid is required, but is "
                            + (uid == null ? "not set" : "blank")
                            + ": call uid(\"some-stable-name\"); without it the state is lost with"
                            + " the first edit of the job.");
        }
        return uid;
    }
}
