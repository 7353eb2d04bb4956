/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Tells users which public types are not for them: those marked {@link
 * io.sluice.filter.annotation.Internal}.
 */
package io.sluice.filter.annotation;
