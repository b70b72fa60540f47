import 'package:shop/store.dart' as store;
import 'items.dart' show Item;
const limit = 10;
/// What a person wants to buy.
class Cart extends Store with Loggable implements Saver {
  final List<Item> items = [];
  Cart(this.owner, {int count = 1});
  factory Cart.empty() => Cart('');
  int get total => items.length;
  set owner(String v) { _owner = v; }
  Future<bool> add(Item item, [int count = 1]) async {
    for (var i = 0; i < count; i++) { if (items.length >= limit) throw StateError('full'); items.add(item); }
    return await save();
  }
}
mixin Loggable {}
enum State { open, done }
extension on Cart { void clear() => items.clear(); }
