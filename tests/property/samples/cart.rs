//! A shopping cart.
use crate::store::{Store, Error as StoreError};
mod items;

pub const LIMIT: usize = 10;

/// What a person wants to buy.
#[derive(Debug, Clone)]
pub struct Cart<'a, T: Clone> { items: Vec<&'a T>, owner: String }

pub trait Save { fn save(&self) -> Result<(), StoreError>; fn later(&self) {} }

impl<'a, T: Clone> Cart<'a, T> {
    pub async fn add(&mut self, item: &'a T, count: usize) -> Result<bool, StoreError> {
        for _ in 0..count {
            if self.items.len() >= LIMIT { return Err(StoreError::Full); }
            self.items.push(item);
        }
        self.flush().await?;
        Ok(true)
    }
}
macro_rules! cart { ($($x:expr),*) => { vec![$($x),*] }; }
