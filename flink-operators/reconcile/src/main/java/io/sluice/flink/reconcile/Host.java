/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.flink.reconcile.message.MessageKind;
import java.io.IOException;
import javax.annotation.Nullable;

/**
 * What an exchange needs from its environment: the elements of its window and key group, wherever
 * they are kept, and a way to send messages. Elements are known by their hash.
 */
interface Host {

    /** An element as it is kept. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
    record Element(long copies, byte[] id) {}

    /** Sees elements. */
    @FunctionalInterface
    interface Visitor {
        void element(long hash, long copies);
    }

    /** Shows every element once, in any order. */
    void forEach(Visitor visitor) throws Exception;

    /** The element with this hash, or null. */
    @Nullable
    Element get(long hash) throws Exception;

    /** A secret for coded symbols, another one each time. */
    default ExchangeKey newKey() {
        return ExchangeKey.random();
    }

    void put(long hash, Element element) throws Exception;

    /** Removes all elements. */
    void clear() throws Exception;

    /**
     * The hash of an id that the peer sent.
     *
     * @throws IOException if the bytes are not an id
     */
    long hash(byte[] id) throws IOException;

    /** Takes a message to be sent once the present state is in a completed checkpoint. */
    void send(MessageKind kind, byte[] message) throws Exception;

    /** An element has more copies than this replica had seen. */
    void repaired(byte[] id, long before, long after) throws Exception;

    void refused(Refusal why);

    /** So many elements have more copies than the counters of a filter count, 0 or more. */
    void saturated(int elements);

    /** The exchange waits for a peer that is down; the elements may still change. */
    void suspended(WindowReport report);

    /** The exchange is over; the elements are final and still available. */
    void concluded(WindowReport report) throws Exception;
}
