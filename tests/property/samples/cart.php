<html><?php
namespace Acme\Shop;
use Acme\Store\{Store, Base as B};
const LIMIT = 10;
/** What a person wants to buy. */
final class Cart extends Store implements \Countable {
    use Loggable;
    private array $items = [];
    public function __construct(private readonly string $owner = '') {}
    public function add(string $item, int ...$counts): bool {
        foreach ($counts as $c) { if (count($this->items) >= LIMIT) throw new \RangeException("more than " . LIMIT); }
        $this->items[] = $item;
        return true;
    }
    public static function make(): self { return new self(); }
}
function total(Cart $cart): int { return $cart->count(); }
?></html>
