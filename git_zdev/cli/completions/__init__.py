"""The shells' completion scripts, as data; ``cli.completion`` answers what they ask."""
