/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.store.StoreKind;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * What has happened to a machine. Stores know a machine by the hash of its key, so the key is that
 * of the event at hand, and reports without an event have none.
 *
 * <p>A row: its components are its columns in SQL, and Flink serializes it as any record.
 *
 * @param kind the name of a {@link Kind}
 * @param id the hash of the key, the same for all reports of a key
 * @param key the key as text; null if there was no event
 * @param from the state before the event; null if there was no event, or the state is ambiguous
 * @param event null if there was none
 * @param state the state now, or the last one; null if it is ambiguous
 * @param output of the transition; null if it has none
 * @param millis time of the event, or when the machine's time-to-live was over
 */
@Experimental
public record MachineReport(
        String kind,
        long id,
        @Nullable String key,
        @Nullable String from,
        @Nullable String event,
        @Nullable String state,
        @Nullable String output,
        long millis) {

    /** Flink's type of reports. */
    public static final TypeInformation<MachineReport> TYPE = Types.POJO(MachineReport.class);

    public MachineReport {
        requireNonNull(kind, "kind");
    }

    /** Why something is reported. */
    public enum Kind {
        /** A machine began. */
        FIRST,

        /** An event had a transition. */
        TRANSITION,

        /** An event had a transition with an output. */
        OUTPUT,

        /** A machine came into a terminal state. */
        FINISHED,

        /** An event had no transition from the present state, which stays. */
        ILLEGAL,

        /**
         * The store could not tell the state, so the event changed nothing. Only {@link
         * StoreKind#KBF} has such machines.
         */
        AMBIGUOUS,

        /**
         * A machine was idle for its time-to-live, or had to make room. Only {@link
         * StoreKind#EXACT} knows the hashes of such machines; other stores report none.
         */
        TIMED_OUT,

        /**
         * The input ended before the machine did; it is still held in the savepoint of a drained
         * job. Only {@link StoreKind#EXACT} reports them.
         */
        OPEN
    }
}
