/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

/** With hashmap as delegate. */
class CascadeOnHashMapTtlSuiteTest extends TtlSuite {

    CascadeOnHashMapTtlSuiteTest() {
        super("hashmap");
    }

    @Override
    protected boolean incrementalCleanupSupported() {
        return true;
    }
}
