"""Pages: a module for each part of the studio, with its routes."""
