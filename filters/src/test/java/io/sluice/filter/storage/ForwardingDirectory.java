/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;

/** Another directory: for subclasses that count, delay or watch some of its operations. */
public abstract class ForwardingDirectory implements Directory {

    private final Directory inner;

    protected ForwardingDirectory(Directory inner) {
        this.inner = requireNonNull(inner, "inner");
    }

    @Override
    public WritableFile create(String name) throws IOException {
        return inner.create(name);
    }

    @Override
    public ReadableFile open(String name) throws IOException {
        return inner.open(name);
    }

    @Override
    public List<String> list() throws IOException {
        return inner.list();
    }

    @Override
    public long length(String name) throws IOException {
        return inner.length(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        inner.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        inner.delete(name);
    }

    @Override
    public void sync() throws IOException {
        inner.sync();
    }

    @Override
    public DirectoryLock lock() throws IOException {
        return inner.lock();
    }

    @Override
    public String toString() {
        return inner.toString();
    }
}
