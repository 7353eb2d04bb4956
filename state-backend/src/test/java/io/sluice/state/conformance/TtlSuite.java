/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.conformance;

import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.StateBackendTestContext;
import org.apache.flink.runtime.state.ttl.TtlStateTestBase;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** Flink's suite for states with time-to-live, on our backend. */
abstract class TtlSuite extends TtlStateTestBase {

    private final String delegate;

    TtlSuite(String delegate) {
        this.delegate = delegate;
    }

    @Override
    protected StateBackendTestContext createStateBackendTestContext(TtlTimeProvider time) {
        return new StateBackendTestContext(time) {
            @Override
            protected StateBackend createStateBackend() {
                return Subjects.cascade(delegate);
            }
        };
    }
}
