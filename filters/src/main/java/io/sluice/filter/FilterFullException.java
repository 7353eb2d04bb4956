/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/** There is no room for another id within the limits that were set. The filter is unchanged. */
public final class FilterFullException extends RuntimeException {

    public FilterFullException(String message) {
        super(message);
    }
}
