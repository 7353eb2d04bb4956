/* SPDX-License-Identifier: Apache-2.0 */
/** Records of any kind as the input of a job, and the options that say what is read from them. */
package io.sluice.job.message;
