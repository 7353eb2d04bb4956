/* SPDX-License-Identifier: Apache-2.0 */
/** What replicas say to each other, and its bytes. */
package io.sluice.flink.reconcile.message;
