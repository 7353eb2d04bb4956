/* SPDX-License-Identifier: Apache-2.0 */
/** The job that copies topics, each id once. */
package io.sluice.job.dedup;
