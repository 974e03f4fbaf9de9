"""What the commands of PROTOCOL section 6 do; a module is imported when its command is run."""
