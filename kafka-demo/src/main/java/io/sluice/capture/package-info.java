/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Packet captures as a stream: reading them, writing them, and making them up.
 *
 * <p>{@link io.sluice.capture.CaptureReader} walks through a capture file of any size in constant
 * memory and shows one {@link io.sluice.capture.Packet} at a time: a view that is reused, so that
 * nothing is allocated per packet. Below it, {@code CaptureInput} delivers bytes (plain or gzip,
 * with the offset of whatever is wrong), {@code ClassicRecords} and {@code PcapngRecords} cut them
 * into packets, and {@code LinkDecoder} and {@code IpDecoder} find the header fields. A capture
 * that ends in the middle of a packet, or in garbage, gives every whole packet before that place
 * and a {@link io.sluice.capture.CaptureEnd} that names it; something that is no capture at all is
 * refused with a {@link io.sluice.capture.CaptureException}.
 *
 * <p>{@link io.sluice.capture.TraceGenerator} writes a synthetic backbone trace from a seed.
 *
 * <p>Nothing here is thread-safe; each object belongs to the thread that made it. The package knows
 * neither Kafka nor Flink.
 */
package io.sluice.capture;
