/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Separates filters on disk from the operating system: they see a flat directory of files that are
 * written once, from beginning to end, and read at any position.
 *
 * <p>It is small on purpose. Whatever runs on it can be tested with a directory in memory that
 * forgets what was not synced, or one that fails, or fills up, at any chosen operation; and nothing
 * that is durable depends on more than the few promises that are written down here.
 *
 * <p>Reading order: {@link io.sluice.filter.storage.Directory} (what is promised, and when it is
 * durable), {@link io.sluice.filter.storage.WritableFile}, {@link
 * io.sluice.filter.storage.ReadableFile}, {@link io.sluice.filter.storage.NioDirectory}.
 */
package io.sluice.filter.storage;
