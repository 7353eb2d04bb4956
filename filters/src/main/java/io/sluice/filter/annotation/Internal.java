/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what is public only because another package of Sluice needs it. It may change at any time;
 * everything else that is public is for users.
 */
@Internal
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.CONSTRUCTOR, ElementType.METHOD, ElementType.FIELD})
public @interface Internal {}
