/* SPDX-License-Identifier: Apache-2.0 */
/** The jobs that run meanwhile: how each is started, fed and checked. */
package io.sluice.chaos.job;
