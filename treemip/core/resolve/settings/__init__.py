"""The data block, the strategy and the topology: settings, read and checked without data."""
