/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The counter job through a real broker in this process: throughput from a filled topic to
 * committed results, beside jobs with parts left out; the job that deduplicates a topic beside
 * Kafka Streams; figures 14 and 15 of the FBF paper, with a TaskManager lost on the way; and figure
 * 15 for a client that waits for acknowledgements.
 */
package io.sluice.bench.kafka;
