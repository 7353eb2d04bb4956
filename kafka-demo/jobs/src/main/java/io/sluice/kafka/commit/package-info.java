/* SPDX-License-Identifier: Apache-2.0 */
/** Writes in Kafka transactions, and notices those that the broker aborted. */
package io.sluice.kafka.commit;
