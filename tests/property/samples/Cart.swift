import Foundation
/// What a person wants to buy.
public final class Cart: Store, Saver {
  static let limit = 10
  private var items: [String] = []
  init(owner: String) { super.init() }
  func add(_ item: String, count: Int = 1) async throws -> Bool {
    for _ in 0..<count { guard items.count < Self.limit else { throw Full.error } ; items.append(item) }
    return try await save()
  }
}
protocol Saver { func save() async throws -> Bool }
extension Cart { var total: Int { items.count } }
enum Full: Error { case error, other(Int) }
struct Point<T> { let x: T }
