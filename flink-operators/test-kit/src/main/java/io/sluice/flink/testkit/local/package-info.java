/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Runs a Kafka broker and a Flink cluster in this process, so that a checkout is enough to run
 * jobs: {@link io.sluice.flink.testkit.local.EmbeddedKafka} is a real broker with its own
 * controller on loopback, {@link io.sluice.flink.testkit.local.LocalFlink} a real JobManager with
 * any number of TaskManagers, which can be lost one by one. Both keep their data below a given
 * directory and remove it when closed. The broker needs {@code org.apache.kafka:kafka_2.13} on the
 * class path.
 */
package io.sluice.flink.testkit.local;
