/* SPDX-License-Identifier: Apache-2.0 */

/** A Flink state backend that keeps flags of the kind "seen" in cascade filters. */
package io.sluice.state;
