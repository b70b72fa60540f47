package com.acme.shop
import com.acme.store.{Store, Base => B, _}
/** What a person wants to buy. */
case class Cart(owner: String)(implicit ctx: Context) extends Store(owner) with Saver {
  val Limit = 10
  private var items = List.empty[String]
  def add(item: String, count: Int = 1): Boolean = { for (_ <- 1 to count) items ::= item; items.size match { case n if n > Limit => throw new Full; case _ => true } }
}
object Cart { def make(): Cart = new Cart("nobody") }
trait Saver { def save(): Unit }
