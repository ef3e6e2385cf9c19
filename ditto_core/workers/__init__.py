"""The Workers that implement the Node tree."""
