/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.util.Map;

/** The state of a checkpoint as far as it is compared with another, wherever it is. */
interface ComparedState {

    /** Returns what a report calls the checkpoint. */
    String location();

    /**
     * Returns the operators, by the hash of their uid.
     *
     * @throws IOException if they cannot be told
     */
    Map<String, ComparedOperator> operators() throws IOException;
}
