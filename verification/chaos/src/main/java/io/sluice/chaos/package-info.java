/* SPDX-License-Identifier: Apache-2.0 */
/** Runs a cluster under seeded fault injection and checks its output. */
package io.sluice.chaos;
