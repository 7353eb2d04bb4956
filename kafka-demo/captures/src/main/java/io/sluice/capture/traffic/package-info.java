/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Generates synthetic captures.
 *
 * <p>Two generators write synthetic captures from a seed, with the same hosts, protocols and sizes
 * of flows. {@link io.sluice.capture.traffic.LoadGenerator} is for throughput: exactly as many
 * packets as requested, at a steady rate. {@link io.sluice.capture.traffic.TrafficGenerator} is for
 * correctness: flows with a duration and a fate, of which the capture sees a part, scans and
 * floods, and the {@link io.sluice.capture.traffic.TrafficTruth} of what was written.
 *
 * <p>Classes here are not thread-safe.
 */
package io.sluice.capture.traffic;
