"""What the repository's own files decide: attributes, ignore rules, filters, drivers."""
