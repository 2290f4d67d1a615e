"""Pictures of trees: what they show, where it stands, and each format."""
