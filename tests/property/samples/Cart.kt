package com.acme.shop

import com.acme.store.Store as Base

const val LIMIT = 10

/** What a person wants to buy. */
data class Cart(val owner: String, private val items: MutableList<String> = mutableListOf()) : Base(owner), Saver {
    suspend fun add(item: String, vararg counts: Int): Boolean = counts.all { items.size < LIMIT && items.add(item) }
    companion object { fun make() = Cart("nobody") }
}
fun Cart.total(): Int = when { else -> 0 }
interface Saver { fun save() }
object Shop { val open = true }
