"""What exists because of the browser: player, worker, loaders, the demo site."""
