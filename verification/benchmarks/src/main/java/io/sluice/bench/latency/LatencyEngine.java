/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.latency;

import io.sluice.state.CascadeStateBackendFactory;
import java.util.Locale;

/** What stands between the exchange by key and the end of the job. */
enum LatencyEngine {
    NOOP("no-op map", "hashmap"),
    DEDUPLICATE("Deduplicate", "hashmap"),
    FOREVER("Deduplicate.forever().onDisk()", "hashmap"),
    COUNTERS("IdempotentCounters, a value for each operation", "rocksdb"),
    MACHINES("Machines, an output for each event", "hashmap"),
    CASCADE("ValueState on the cascade backend", CascadeStateBackendFactory.class.getName()),
    SQL_DEDUPLICATE(
            "DEDUPLICATE on the cascade backend", CascadeStateBackendFactory.class.getName()),
    SQL_ROW_NUMBER("ROW_NUMBER on the cascade backend", CascadeStateBackendFactory.class.getName()),
    ROCKSDB("ValueState on RocksDB", "rocksdb");

    final String title;
    final String backend;

    LatencyEngine(String title, String backend) {
        this.title = title;
        this.backend = backend;
    }

    /** A part of the names of figures. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace("_", "");
    }

    boolean isSql() {
        return this == SQL_DEDUPLICATE || this == SQL_ROW_NUMBER;
    }
}
