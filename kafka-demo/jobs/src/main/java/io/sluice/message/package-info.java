/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kafka records of any content: {@link io.sluice.message.KafkaMessage} carries one through a job
 * with its bytes untouched, and {@link io.sluice.message.Field}s say where in it the id and the
 * time are.
 */
package io.sluice.message;
