"""The reference pages, each made from the code that it describes."""
