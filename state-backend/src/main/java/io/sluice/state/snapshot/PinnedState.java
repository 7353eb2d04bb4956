/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.cascade.CascadeSnapshot;
import java.nio.file.Path;

/**
 * A membership state at the moment of a checkpoint.
 *
 * @param directory of the filter's files
 */
public record PinnedState(MembershipInfo info, CascadeSnapshot snapshot, Path directory) {}
