"""Shows how another package gives fogo a device, and an op of its own on an old one."""
