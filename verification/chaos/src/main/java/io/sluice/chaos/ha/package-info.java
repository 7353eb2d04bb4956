/* SPDX-License-Identifier: Apache-2.0 */
/**
 * High availability of a JobManager on local files: Flink has it on ZooKeeper and Kubernetes only.
 * For one JobManager at a time, which recovers its jobs when it is started again.
 */
package io.sluice.chaos.ha;
