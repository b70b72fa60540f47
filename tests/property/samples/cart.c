#include <stdio.h>
#include "store.h"
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct cart { char **items; int count; } cart_t;
enum state { OPEN, DONE };

/* Puts an item into the cart. */
static int cart_add(cart_t *cart, const char *item) {
  if (cart->count >= LIMIT) return -1;
  cart->items[cart->count++] = store_copy(item);
  return 0;
}
void (*handler(int sig, void (*f)(int)))(int);
