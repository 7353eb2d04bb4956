/* SPDX-License-Identifier: Apache-2.0 */
/** Reads partitions of a backlog at one pace of event time, and knows when one is idle. */
package io.sluice.kafka.pace;
