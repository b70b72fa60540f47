"""A Query -> one Ranking per retriever."""
