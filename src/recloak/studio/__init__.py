"""Studio: a local web application that runs the commands for people who would rather look."""
