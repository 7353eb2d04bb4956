/* SPDX-License-Identifier: Apache-2.0 */
/** Mends the Kafka connector until it is mended there. */
package io.sluice.kafka.workaround;
