/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is on the topics of packets. Every IP packet of a capture is one <em>operation</em>: "count
 * me once". {@link io.sluice.record.PacketRecord} is that operation, {@link
 * io.sluice.record.PacketRecordCodec} its form on the topic, {@link io.sluice.record.RecordLayout}
 * a picture of it. An operation carries an id that is unique in the replay and the same for every
 * retry of it. {@link io.sluice.record.CounterKind} and {@link io.sluice.record.FlowKind} say which
 * counter or flow it belongs to.
 */
package io.sluice.record;
