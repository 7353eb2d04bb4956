/* SPDX-License-Identifier: Apache-2.0 */
/** What every benchmark needs: options, random numbers, a clock, and the job to compare with. */
package io.sluice.bench.run;
