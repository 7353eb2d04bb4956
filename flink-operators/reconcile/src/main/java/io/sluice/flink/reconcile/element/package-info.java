/* SPDX-License-Identifier: Apache-2.0 */
/** Gives elements their bytes, their hashes and their key groups. */
package io.sluice.flink.reconcile.element;
