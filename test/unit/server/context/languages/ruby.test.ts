import { describe, expect, it } from 'vitest';
import { declared, imported, language, targets } from './read-language.js';

describe('Ruby', () => {
  it('imports what it requires', () => {
    const text = `# frozen_string_literal: true

require 'json'
require "shop/cart"
require_relative '../support/money' # Ours.
  require_relative("./tax")
autoload :Order, 'shop/order'
require File.join(root, 'a')
puts "require 'b'"
`;
    expect(imported('ruby', text)).toEqual([
      ['json', null],
      ['shop/cart', null],
      ['./../support/money', null],
      ['././tax', null],
      ['shop/order', ['Order>Order']],
    ]);
  });

  it('finds files beside its own, and below lib', () => {
    expect(targets('ruby', './../support/money', '/w/lib/shop/cart.rb')).toEqual(['/w/lib/support/money.rb']);
    expect(targets('ruby', './tax.rb', '/w/lib/cart.rb')).toEqual(['/w/lib/tax.rb']);
    expect(targets('ruby', 'shop/cart', '/w/gems/shop/lib/shop.rb')).toContain('/w/gems/shop/lib/shop/cart.rb');
    expect(targets('ruby', 'shop/cart', '/w/test/cart_test.rb')).toContain('/w/lib/shop/cart.rb');
    expect(targets('ruby', 'spec_helper', '/w/spec/models/a_spec.rb')).toContain('/w/spec/spec_helper.rb');
    expect(language('ruby').folderIsScope).toBe(true);
  });

  it('declares classes with what others may call', () => {
    const text = `# frozen_string_literal: true

module Shop
  # A cart.
  #
  # It has many
  # items.
  class Cart < ApplicationRecord
    include Countable

    LIMIT = 10
    KINDS = [
      :small,
    ].freeze

    belongs_to :user
    has_many :items, dependent: :destroy
    validates :name, presence: true
    attr_reader :total, :taxes

    def initialize(user:, items: [])
      @user = user
    end

    # Adds an item.
    def add(item, count = 1)
      if count > 1
        raise "many"
      end
    end

    def empty? = items.empty?

    class << self
      # From a text.
      def parse(text)
        new(text)
      end

      private

      def hidden_of_class
      end
    end

    def self.find_by_name(
      name,
      limit: 10
    )
      where(name: name)
    end

    private def hidden
    end

    class Full < StandardError; end

    private

    attr_reader :secret

    def hidden_too
    end
  end
end
`;
    expect(declared('ruby', text)).toEqual({
      Cart: `class Cart < ApplicationRecord
  include Countable
  LIMIT = 10
  KINDS = [
    :small,
  ].freeze
  belongs_to :user
  has_many :items, dependent: :destroy
  attr_reader :total, :taxes
  def initialize(user:, items: [])
  def add(item, count = 1)
  def empty? = items.empty?
  def self.parse(text)
  def self.find_by_name(
    name,
    limit: 10
  )
end
`,
      Full: 'class Full < StandardError; end\n',
    });
  });

  it('declares modules, functions, constants and records', () => {
    const text = `LIMIT = 3
ITEMS = {
  a: 1,
}.freeze
Point = Struct.new(:x, :y) do
  def length
    1
  end
end
Size = Data.define(:width, :height)

def total(items, taxes: true)
  items.sum
end

module Shop::Money
  module_function

  CENTS = 100

  def format(amount)
    amount.to_s
  end

  module Rounding
    def self.up(amount)
    end
  end
end

class Empty
end
`;
    expect(declared('ruby', text)).toEqual({
      LIMIT: 'LIMIT = 3\n',
      ITEMS: 'ITEMS = { ... }\n',
      Point: 'Point = Struct.new(:x, :y) do\n  def length\nend\n',
      Size: 'Size = Data.define(:width, :height)\n',
      total: 'def total(items, taxes: true)\n',
      Money: 'module Shop::Money\n  CENTS = 100\n  def format(amount)\nend\n',
      Rounding: 'module Rounding\n  def self.up(amount)\nend\n',
      Empty: 'class Empty\nend\n',
    });
  });
});
