/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.IOException;

/** A schema registry does not answer, or refuses to: no fault of the record that asked for it. */
public final class SchemaRegistryException extends IOException {
    private static final long serialVersionUID = 1L;

    SchemaRegistryException(String message) {
        super(message);
    }

    SchemaRegistryException(String message, Throwable cause) {
        super(message, cause);
    }
}
