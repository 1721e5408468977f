"""The host of one Python plugin; see `__main__.py`."""
