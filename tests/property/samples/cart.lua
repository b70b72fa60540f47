local store = require("shop.store")
local M = {}
M.LIMIT = 10
--- Puts an item into the cart.
function M.add(cart, item, ...)
  if #cart.items >= M.LIMIT then error("more than " .. M.LIMIT) end
  table.insert(cart.items, item)
  return true
end
function M:total() return #self.items end
local function helper(a, b) return a + b end
M.make = function(owner) return { owner = owner, items = {} } end
return M
