/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.cascade.CascadeSnapshot;

/** A membership state at the moment of a checkpoint. */
public record PinnedState(MembershipInfo info, CascadeSnapshot snapshot) {}
