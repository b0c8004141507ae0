"""Related-item lists as they are published: lists, histories of them, and their files."""
