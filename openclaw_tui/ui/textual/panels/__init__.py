"""What the context holds, what the cache saves, what the layers did: three live panels, their strip, their screens."""
