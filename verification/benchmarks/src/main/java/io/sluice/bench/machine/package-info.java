/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench machines}: state machines of keys in stores that are exact and in stores that are
 * not.
 *
 * <p>Errors are counted event by event against the generator, which knows the state of each of its
 * machines; a store goes on from its own answers, so errors have consequences.
 *
 * <p>Reading order: {@link io.sluice.bench.machine.BenchMachinesCommand}; {@code MachineWorkload}
 * and {@code EventTrace} (what is followed); {@code MachineTrials} (memory, error and speed of the
 * operator's stores); {@code MachinesThroughKafka} (the job).
 */
package io.sluice.bench.machine;
