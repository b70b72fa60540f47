{-# LANGUAGE OverloadedStrings #-}
-- | A shopping cart.
module Shop.Cart (Cart(..), add, total) where
import qualified Data.Map as M
import Shop.Store (save, Store)

-- | What a person wants to buy.
data Cart = Cart { items :: [String], owner :: String } deriving (Show, Eq)
newtype Price = Price Int
class Saver a where { keep :: a -> IO () }
instance Saver Cart where { keep = save . items }

-- | Puts an item into the cart.
add :: Cart -> String -> Either String Cart
add cart item | length (items cart) >= limit = Left "full"
              | otherwise = Right cart { items = item : items cart }
limit = 10
total (Cart [] _) = 0
total c = length (items c)
