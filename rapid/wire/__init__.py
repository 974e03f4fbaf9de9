"""Messages and their bytes: the only place that packs and unpacks. Pure."""
