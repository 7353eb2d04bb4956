/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The split that Flink's interfaces ask for; none is ever made, because captures are not divided.
 */
final class WholeCapture implements SourceSplit {
    private WholeCapture() {}

    @Override
    public String splitId() {
        return "";
    }

    /** For the methods that only a job with checkpoints calls. */
    static IllegalStateException cannotContinue() {
        return new IllegalStateException("captures are read without checkpoints");
    }

    static <T> SimpleVersionedSerializer<T> serializer() {
        return new SimpleVersionedSerializer<>() {
            @Override
            public int getVersion() {
                return 1;
            }

            @Override
            public byte[] serialize(T any) {
                throw cannotContinue();
            }

            @Override
            public T deserialize(int version, byte[] bytes) {
                throw cannotContinue();
            }
        };
    }
}
