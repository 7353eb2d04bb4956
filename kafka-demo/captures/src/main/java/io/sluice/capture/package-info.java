/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Packet captures as a stream: reads and writes them.
 *
 * <p>{@link io.sluice.capture.CaptureReader} walks through a capture file of any size in constant
 * memory and shows one {@link io.sluice.capture.Packet} at a time: a view that is reused, so that
 * nothing is allocated per packet. {@link io.sluice.capture.CaptureSet} reads several files as one,
 * merged by time, with their times from separate files if necessary. Below it, {@code CaptureInput}
 * delivers bytes (plain or gzip, with the offset of any error), {@code ClassicRecords} and {@code
 * PcapngRecords} cut them into packets, and {@code LinkDecoder}, {@code IpDecoder} and, if asked,
 * {@code TunnelDecoder} find the header fields.
 *
 * <p>Damage costs as little as possible: a packet that cannot be fully read has a {@link
 * io.sluice.capture.PacketKind} that says why, an unreadable record is counted under its {@link
 * io.sluice.capture.LostRecord}, and a {@link io.sluice.capture.CaptureTally} has all these counts.
 * A capture that ends in the middle of a packet, or in garbage, gives every whole packet before
 * that place and a {@link io.sluice.capture.CaptureEnd} that names it; a file that is not a capture
 * is refused with a {@link io.sluice.capture.CaptureException}.
 *
 * <p>Captures are made up in {@code io.sluice.capture.traffic}.
 *
 * <p>Classes here are not thread-safe; each object belongs to the thread that made it. The package
 * does not depend on Kafka or Flink.
 */
package io.sluice.capture;
