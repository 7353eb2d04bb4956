/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

/** With rocksdb as delegate. */
class CascadeOnRocksDbTtlSuiteTest extends TtlSuite {

    CascadeOnRocksDbTtlSuiteTest() {
        super("rocksdb");
    }

    /** Incremental snapshots are copies of files, from which nothing is cleaned up. */
    @Override
    public boolean isSavepoint() {
        return false;
    }
}
