"""What is put under load: this server, started for the run or running already, or the floor."""
