/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

/** What a job reads from a record besides id and time. */
sealed interface Content permits Addition, KeyedEvent, Copies {}
