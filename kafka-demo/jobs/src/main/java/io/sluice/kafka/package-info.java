/* SPDX-License-Identifier: Apache-2.0 */
/** Brokers and topics: connections, limits, records of any topic. */
package io.sluice.kafka;
