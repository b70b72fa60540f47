package shop

import (
	"fmt"
	store "example.com/shop/store"
)

const (
	Limit = 10
	small = 1
)

// Cart is what a person wants to buy.
type Cart struct {
	store.Base
	Items []string `json:"items"`
}

type Saver interface{ Save() error }

func (c *Cart) Add(item string, count int) (ok bool, err error) {
	for i := 0; i < count; i++ {
		if len(c.Items) >= Limit {
			return false, fmt.Errorf("more than %d", Limit)
		}
		c.Items = append(c.Items, item)
	}
	return true, nil
}

func Map[T, U any](in []T, f func(T) U) []U { return nil }
