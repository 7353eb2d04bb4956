/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The job jar on a cluster: a Flink session cluster of separate JVMs on the loopback interface, run
 * from the Flink jars of the test class path with the configuration files of {@code docker/flink},
 * and driven by Flink's own command-line client, as a user would.
 */
package io.sluice.cluster;
