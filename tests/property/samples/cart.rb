# frozen_string_literal: true
require_relative 'store'

module Shop
  # What a person wants to buy.
  class Cart < Store
    include Enumerable
    LIMIT = 10
    attr_reader :items
    def initialize(owner = nil, *rest, key: 1, **opts, &block)
      @items = []
    end
    def self.make = new('nobody')
    def add(item)
      raise ArgumentError, "more than #{LIMIT}" if @items.size >= LIMIT
      @items << item
    end
    private
    def secret; yield 1; end
  end
end
