"""Other products' interfaces, so that what was written for them runs on this service."""
