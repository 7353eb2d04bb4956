/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sends a capture to a Kafka topic like a client that retries.
 *
 * <p>Every IP packet of a capture is one operation, a {@link io.sluice.record.PacketRecord}. {@link
 * io.sluice.replay.Faults} decides by seed which operations are sent more than once, later, out of
 * order or never; {@link io.sluice.replay.SendSchedule} turns a stream of operations into the
 * stream of sends; {@link io.sluice.replay.TraceReplayer} sends them; {@link
 * io.sluice.replay.TruthFile} stores what was really sent, so that a verdict does not have to trust
 * the pipeline that it judges.
 *
 * <p>A retry here is the <em>application's</em>: the client got no answer and sends the same
 * operation again, as a new Kafka record. Kafka's idempotent producer, which is switched on, only
 * removes the duplicates that the producer itself makes, and cannot see these.
 */
package io.sluice.replay;
