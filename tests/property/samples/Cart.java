package com.acme.shop;

import com.acme.store.Store;
import static java.util.Map.*;

/** What a person wants to buy. */
@Entity
public class Cart extends Store implements Iterable<String> {
    public static final int LIMIT = 10;
    private final List<String> items = new ArrayList<>();
    public Cart(String owner) { super(owner); }
    @Override
    public boolean add(String item, int count) throws FullException {
        for (int i = 0; i < count; i++) {
            if (items.size() >= LIMIT) throw new FullException("more than " + LIMIT);
            items.add(item);
        }
        return true;
    }
    enum State { OPEN, DONE { void run() {} }; void run() {} }
    record Point(int x, int y) {}
}
