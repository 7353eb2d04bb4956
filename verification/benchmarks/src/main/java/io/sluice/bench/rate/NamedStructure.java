/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

/** A structure whose names and capacity are fixed from the start. */
public abstract class NamedStructure implements RatedStructure {
    private final String id;
    private final String name;
    private final long capacity;

    protected NamedStructure(String id, String name, long capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "capacity of " + name + " must be at least 1, got " + capacity);
        }
        this.id = id;
        this.name = name;
        this.capacity = capacity;
    }

    @Override
    public final String id() {
        return id;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final long capacity() {
        return capacity;
    }
}
