/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * A buffer that nothing is added to any more. It is still asked until a level file has its entries.
 *
 * <p>Two kinds of things need it: versions, whose readers look into the buffer, and snapshots,
 * which want the level file. So the memory is given back as soon as the file is written and no
 * version names the buffer any more; the file stays while either needs it.
 *
 * <p>State and counts are guarded by the {@link Catalog}.
 */
final class FrozenBuffer {

    /** On its way to a level file. */
    enum State {
        WAITING,
        BEING_WRITTEN,
        WRITTEN
    }

    private final EntryBuffer buffer;
    private State state = State.WAITING;
    private FileSection file;
    private int readers;
    private int pins;
    private boolean memoryReleased;
    private boolean fileReleased;

    FrozenBuffer(EntryBuffer buffer) {
        this.buffer = buffer;
    }

    EntryBuffer buffer() {
        return buffer;
    }

    long bucketEnd() {
        return buffer.bucketEnd();
    }

    int hashBits() {
        return buffer.hashBits();
    }

    State state() {
        return state;
    }

    void state(State next) {
        state = next;
    }

    /** The level file with its entries, once it is {@link State#WRITTEN}. */
    FileSection file() {
        return file;
    }

    void written(FileSection section) {
        file = section;
        state = State.WRITTEN;
    }

    void addReader() {
        readers++;
    }

    void removeReader() {
        readers--;
    }

    void pin() {
        pins++;
    }

    void unpin() {
        pins--;
    }

    /** Whether its memory can be reused; true only once. */
    boolean releasesMemory() {
        boolean release =
                !memoryReleased
                        && readers == 0
                        && state != State.BEING_WRITTEN
                        && (state == State.WRITTEN || pins == 0);
        memoryReleased |= release;
        return release;
    }

    /** Whether the buffer no longer needs its file; true only once. */
    boolean releasesFile() {
        boolean release = !fileReleased && readers == 0 && pins == 0 && state == State.WRITTEN;
        fileReleased |= release;
        return release;
    }
}
