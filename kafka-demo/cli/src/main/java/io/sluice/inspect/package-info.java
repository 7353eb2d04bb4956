/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Looks into checkpoints and savepoints of Flink without a cluster and without the job.
 *
 * <p>{@link io.sluice.inspect.Inspector} reads metadata, headers and manifests, and makes an {@link
 * io.sluice.inspect.Inspection}; {@link io.sluice.inspect.Verifier} reads every byte, and makes a
 * {@link io.sluice.inspect.Verification}; {@link io.sluice.inspect.Comparison} compares two
 * inspections; {@link io.sluice.inspect.StateReconciler} compares the state itself, of two
 * clusters, and makes a {@link io.sluice.inspect.StateAgreement}; {@link
 * io.sluice.inspect.StateUnion} writes a savepoint that knows what either has seen, and makes a
 * {@link io.sluice.inspect.UnionReport}. What they make are records whose component names are those
 * of the JSON form.
 *
 * <p>The bytes may be anything. What Sluice wrote is read by its own readers, in time and memory
 * bounded by what is there; Flink's {@code _metadata}, and the keyed state that Flink's backends
 * wrote, with its descriptions, are read by Flink's, as in a restore.
 */
package io.sluice.inspect;
