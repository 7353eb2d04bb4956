/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A process that writes a cascade filter is killed, again and again, at random moments (SIGKILL);
 * after each kill the directory is opened and compared with what the process had acknowledged.
 *
 * <p>Reading order: {@link io.sluice.filter.cascade.stress.Operations} (what is done, known to both
 * sides), {@link io.sluice.filter.cascade.stress.Writer} (the process that dies), {@link
 * io.sluice.filter.cascade.stress.Survivors} (what must be found afterwards), {@link
 * io.sluice.filter.cascade.stress.KilledWriterIT} (the killing).
 */
package io.sluice.filter.cascade.stress;
