"""The Versions page: which gates there are, which one is in use, and any two choosers side by side."""
