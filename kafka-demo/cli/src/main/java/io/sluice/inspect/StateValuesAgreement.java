/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Whether a keyed state of the job itself holds the same in two checkpoints.
 *
 * @param state name of its descriptor
 * @param refused why it cannot be compared, with both values; null if it was
 * @param values by key, with the namespace if there is one, and the key in a map; null if refused
 */
@Internal
public record StateValuesAgreement(
        String state, @Nullable String refused, @Nullable ValuesAgreement<String> values) {

    static StateValuesAgreement refused(String state, String why) {
        return new StateValuesAgreement(state, why, null);
    }

    /** Whether it was compared and is equal. */
    public boolean agrees() {
        return values != null && values.agrees();
    }
}
