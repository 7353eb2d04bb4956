/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Deduplication as it is written with Kafka Streams: what a user of Kafka has without Flink, and
 * what {@code job dedup} is measured beside.
 */
package io.sluice.streams;
