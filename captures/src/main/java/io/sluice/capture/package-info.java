/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Packet captures as a stream: reading them, writing them, and making them up.
 *
 * <p>{@link io.sluice.capture.CaptureReader} walks through a capture file of any size in constant
 * memory and shows one {@link io.sluice.capture.Packet} at a time: a view that is reused, so that
 * nothing is allocated per packet. {@link io.sluice.capture.CaptureSet} reads several files as one,
 * merged by time, with their times from files apart if need be. Below it, {@code CaptureInput}
 * delivers bytes (plain or gzip, with the offset of whatever is wrong), {@code ClassicRecords} and
 * {@code PcapngRecords} cut them into packets, and {@code LinkDecoder}, {@code IpDecoder} and, if
 * asked, {@code TunnelDecoder} find the header fields.
 *
 * <p>What is bad costs as little as can be: a packet that cannot be fully read has a {@link
 * io.sluice.capture.PacketKind} that says why, a record of which nothing can be read is counted
 * under its {@link io.sluice.capture.LostRecord}, and a {@link io.sluice.capture.CaptureTally} has
 * all these counts. A capture that ends in the middle of a packet, or in garbage, gives every whole
 * packet before that place and a {@link io.sluice.capture.CaptureEnd} that names it; something that
 * is no capture at all is refused with a {@link io.sluice.capture.CaptureException}.
 *
 * <p>Two generators write synthetic captures from a seed. {@link io.sluice.capture.TraceGenerator}
 * starts from packets: exactly as many as asked for. {@link io.sluice.capture.TrafficGenerator}
 * starts from flows, each with its own size, duration and ending, lets the capture see a part of
 * them, adds scans and floods, and gives the {@link io.sluice.capture.TrafficTruth} of what it
 * wrote.
 *
 * <p>Nothing here is thread-safe; each object belongs to the thread that made it. The package knows
 * neither Kafka nor Flink.
 */
package io.sluice.capture;
