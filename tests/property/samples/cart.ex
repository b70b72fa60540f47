defmodule Shop.Cart do
  @moduledoc "What a person wants to buy."
  alias Shop.Store
  import Shop.Helpers, only: [check: 1]
  use GenServer
  @limit 10
  defstruct items: [], owner: nil
  @doc "Puts an item into the cart."
  @spec add(t, String.t()) :: {:ok, t} | {:error, atom}
  def add(%__MODULE__{items: items} = cart, item) when length(items) < @limit do
    case Store.save(item) do
      :ok -> {:ok, %{cart | items: [item | items]}}
      other -> other
    end
  end
  def add(_, _), do: {:error, :full}
  defp helper(x), do: x |> check()
  defmacro twice(x), do: quote(do: unquote(x) + unquote(x))
end
