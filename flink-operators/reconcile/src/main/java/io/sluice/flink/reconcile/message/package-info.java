/* SPDX-License-Identifier: Apache-2.0 */
/** Defines the messages between replicas, and their bytes. */
package io.sluice.flink.reconcile.message;
