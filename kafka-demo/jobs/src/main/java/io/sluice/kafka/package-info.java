/* SPDX-License-Identifier: Apache-2.0 */
/** How the jobs and the command deal with a Kafka broker. */
package io.sluice.kafka;
