/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** The state backends that the contract is held against. */
enum StateBackends {
    HASHMAP {
        @Override
        StateBackend create() {
            return new HashMapStateBackend();
        }
    },

    /** With incremental checkpoints. */
    ROCKSDB {
        @Override
        StateBackend create() {
            return new EmbeddedRocksDBStateBackend(true);
        }
    };

    abstract StateBackend create();

    /** The descriptor of a flag by which this backend may answer with its error. */
    ValueStateDescriptor<Boolean> flag(String name) {
        return new ValueStateDescriptor<>(name, Types.BOOLEAN);
    }

    /** Like {@link #flag(String)}, with what is answered for keys that are not marked. */
    @SuppressWarnings("deprecation") // the only way, and jobs use it
    ValueStateDescriptor<Boolean> flagWithDefault(String name, boolean value) {
        return new ValueStateDescriptor<>(name, Types.BOOLEAN, value);
    }

    /** How often a key that was never marked may be reported; 0 for the exact ones. */
    double falsePositiveProbability() {
        return 0;
    }

    /** In how many buckets a time to live is divided; 0 if expiry is exact. */
    int timeToLiveBuckets() {
        return 0;
    }

    final boolean isExact() {
        return falsePositiveProbability() == 0;
    }

    /** Whether a flag's key is kept as an object, so that it must not change. */
    boolean keepsKeyObjects() {
        return this == HASHMAP;
    }

    /** Whether a checkpoint may refer to files of earlier ones. */
    boolean sharesFiles() {
        return this != HASHMAP;
    }
}
