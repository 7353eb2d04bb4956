/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import java.io.IOException;

/** Kafka did not take the records. The message is one line and says what to do. */
public final class ReplayException extends IOException {
    ReplayException(String message, Throwable cause) {
        super(message, cause);
    }
}
