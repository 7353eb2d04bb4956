/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * A message on its way to the peer: {@code bytes} are what the peer has to get, as they are; the
 * rest may help to choose a topic or a key.
 *
 * @param kind what it tells
 * @param group key group
 * @param window start of the window, ms
 * @param bytes the message, versioned and with checksums
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; whoever gets it may keep the array
public record ReplicaMessage(MessageKind kind, int group, long window, byte[] bytes) {}
