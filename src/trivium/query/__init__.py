"""What a person typed -> a Query. Pure."""
