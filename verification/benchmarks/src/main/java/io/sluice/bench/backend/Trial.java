/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import java.util.Locale;

/**
 * One job to measure.
 *
 * @param records that the source emits, a tenth of them duplicates
 * @param restores whether restoring is timed too, with the same parallelism and with another one
 */
record Trial(Api api, IdKind ids, int parallelism, Engine engine, long records, boolean restores) {
    /** How the job is written. */
    enum Api {
        DATASTREAM,
        /** Keep-first in processing time. */
        SQL,
        /** Keep-first in event time: until the watermark comes, each row waits in exact state. */
        SQL_ROWTIME,
        /** The function {@code DEDUPLICATE}. */
        SQL_PTF,
        /** {@code COUNT(DISTINCT)} of a thousand groups. */
        SQL_COUNT_DISTINCT;

        boolean isSql() {
            return this != DATASTREAM;
        }

        /** Whether the watermark reaches the end. */
        boolean hasWatermarks() {
            return this == DATASTREAM || this == SQL_ROWTIME;
        }

        /** Whether it is measured with numbers only, and half as many. */
        boolean isVariant() {
            return this != DATASTREAM && this != SQL;
        }
    }

    /** What is deduplicated. */
    enum IdKind {
        LONG,
        STRING36
    }

    /** What compared trials have in common, as a part of the names of figures. */
    String group() {
        return (api + "." + ids + ".p" + parallelism).toLowerCase(Locale.ROOT);
    }

    /** Whether it differs from the trial described in nothing but the records. */
    boolean is(Api api, IdKind ids, int parallelism, Engine engine) {
        return this.api == api
                && this.ids == ids
                && this.parallelism == parallelism
                && this.engine == engine;
    }

    @Override
    public String toString() {
        return group() + " " + engine.title();
    }
}
