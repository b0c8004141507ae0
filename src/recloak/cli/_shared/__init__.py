"""What commands share: flags, the screen, signals and locks."""
