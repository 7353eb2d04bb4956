/* SPDX-License-Identifier: Apache-2.0 */
/** How long a record is under way in a Flink job, at a given rate. */
package io.sluice.bench.latency;
