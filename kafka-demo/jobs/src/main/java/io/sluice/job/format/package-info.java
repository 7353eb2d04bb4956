/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Jobs that read records of any kind, or packet records: the options that say which, and the source
 * and sinks of either.
 */
package io.sluice.job.format;
