/* SPDX-License-Identifier: Apache-2.0 */
/** Placeholder. */
package io.sluice.flink;
