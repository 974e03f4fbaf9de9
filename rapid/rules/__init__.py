"""What is legal and what it does, as data and small functions of small arguments. Pure."""
