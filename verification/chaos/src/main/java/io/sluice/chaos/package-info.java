/* SPDX-License-Identifier: Apache-2.0 */
/** A cluster that is beaten up by seed, and whether its results are right nevertheless. */
package io.sluice.chaos;
