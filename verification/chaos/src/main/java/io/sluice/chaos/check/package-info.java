/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The checker: reads input and output topics as any consumer of committed records would, and
 * compares them by its own rules. It shares no code with the jobs.
 */
package io.sluice.chaos.check;
