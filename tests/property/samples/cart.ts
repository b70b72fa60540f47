import { Store, type Item } from './store'
export * from './types'

export const LIMIT = 10

/** What a person wants to buy. */
export default class Cart extends Store implements Iterable<Item> {
  #items: Item[] = []
  constructor(private readonly owner: string) { super() }
  get total(): number { return this.#items.reduce((sum, one) => sum + one.price, 0) }
  async add<T extends Item>(item: T, count = 1): Promise<boolean> {
    for (let i = 0; i < count; i++) {
      if (this.#items.length >= LIMIT) throw new RangeError(`more than ${LIMIT}`)
      this.#items.push(item)
    }
    return await this.save()
  }
  *[Symbol.iterator]() { yield* this.#items }
}
