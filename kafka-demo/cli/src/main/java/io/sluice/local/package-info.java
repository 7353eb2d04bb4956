/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A Kafka broker and a Flink cluster inside this process, so that a checkout is enough to run the
 * jobs: {@link io.sluice.local.EmbeddedKafka} is a real broker with its own controller on loopback,
 * {@link io.sluice.local.LocalFlink} a real JobManager with any number of TaskManagers, which can
 * be lost one by one. Both keep their data below a given directory and remove it when closed.
 */
package io.sluice.local;
