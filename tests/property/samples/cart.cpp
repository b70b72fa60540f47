#include "cart.hpp"
namespace shop {
template <typename T> class Cart : public Store, private Base<T> {
public:
  explicit Cart(std::string owner) : owner_(std::move(owner)) {}
  ~Cart() override = default;
  bool add(const T &item, int count = 1);
  Cart &operator+=(const T &item) { add(item); return *this; }
private:
  std::vector<T> items_;
};
template <typename T> bool Cart<T>::add(const T &item, int count) {
  for (auto i : range(count)) { if (items_.size() > 10) throw Full{}; items_.push_back(item); }
  return true;
}
}
