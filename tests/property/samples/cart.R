library(stats)
source("R/store.R")
LIMIT <- 10
#' Puts an item into the cart.
#' @param cart a cart
add_item <- function(cart, item, ..., count = 1) {
  if (length(cart$items) >= LIMIT) stop("more than ", LIMIT)
  for (i in seq_len(count)) cart$items <- c(cart$items, item)
  cart
}
total = function(cart) length(cart$items)
print.cart <- function(x) cat(sapply(x$items, \(i) i))
setClass("Cart", representation(items = "list"))
